"""The text of papers: layout, scraped pages, headings, labels of abstracts."""

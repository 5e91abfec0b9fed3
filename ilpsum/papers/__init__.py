"""Structure of papers' text: layout, scraped pages, headings, labels of abstracts."""

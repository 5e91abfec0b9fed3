"""What the text of a paper looks like: layout, scraped pages, headings, labels."""

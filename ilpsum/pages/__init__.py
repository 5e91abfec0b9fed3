"""Answers and runs for readers: pages, text, Markdown and JSON, all drawn from the records of
`ilpsum.pages.view`.
"""

"""Answers and runs for readers: pages, text and JSON, all drawn from the records of
`ilpsum.pages.view`.
"""

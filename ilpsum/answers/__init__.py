"""Answers to questions: search, services, whether there is an answer, what opens it; it hands the
pipeline topics.
"""

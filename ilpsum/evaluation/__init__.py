"""Scores runs against gold summaries or annotations, and compares runs."""

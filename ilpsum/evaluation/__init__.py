"""Scores of runs against gold summaries or annotations, and comparison of runs."""

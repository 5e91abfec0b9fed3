"""Scores of runs against gold summaries or annotations, and paired comparisons of runs."""

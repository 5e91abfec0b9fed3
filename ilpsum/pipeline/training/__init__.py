"""Training of system models on topics with gold summaries."""

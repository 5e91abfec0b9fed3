"""From topic to summary: candidates, features, relevance, selection, text."""

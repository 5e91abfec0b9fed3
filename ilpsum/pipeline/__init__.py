"""Topic to Summary: candidates, features, relevance, selection, text."""

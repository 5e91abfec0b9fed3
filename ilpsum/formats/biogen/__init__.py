"""TREC BioGen 2024 and 2025: topics, limits and runs, whose sentences cite PMIDs."""

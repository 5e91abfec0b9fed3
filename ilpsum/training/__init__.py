"""Topics with gold summaries to trained models."""

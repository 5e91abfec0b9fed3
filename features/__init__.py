"""Text to numbers: the features of a sentence. Knows no file format, no model and no solver."""

"""Sentence compression: parser, trimming rules and compressor."""

"""Sentence compression: parser, trimming rules, compressor and its evaluation."""

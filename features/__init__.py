"""Text to numbers: the features of sentences and bigrams, independent of file formats, models and
solvers.
"""

"""Rules that make sentences from several documents read as one text.

The rules are constraints of the ILP, so the best selection that keeps them is found and proved like any other.
"""

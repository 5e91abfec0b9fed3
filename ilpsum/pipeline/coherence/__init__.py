"""Rules that make sentences from several documents read as one coherent text.

The rules are constraints of the ILP, so the optimum that satisfies them is found and proved as
usual.
"""

"""Longest common subsequences of two sentences, by bit-parallel dynamic programming."""

from collections.abc import Sequence


class Alignment:
    """A sentence prepared for alignment with others.

    In Hirschberg's recurrence, c[i][j] is the length of the longest common subsequence of the first i words of the
    other sentence and the first j of this one. Each row is one integer, whose bit j is 0 if c grows from column j to
    j + 1 (Hyyro 2004, Bit-parallel LCS-length computation revisited, AWOCA), so a row costs a few integer operations
    instead of one per cell.
    """

    def __init__(self, sentence: Sequence[int]) -> None:
        self._sentence = sentence
        self._places: dict[int, int] = {}
        for j, word in enumerate(sentence):
            self._places[word] = self._places.get(word, 0) | 1 << j

    def common(self, other: Sequence[int]) -> list[int]:
        """Return the positions in the other sentence of the longest common subsequence of ROUGE-1.5.5, descending.

        If several have the same length, it is the one reached by going back from the ends of both sentences and
        dropping the other sentence's word whenever the length stays the same.
        """
        # A word that this sentence lacks repeats the row before it.
        known = [position for position, word in enumerate(other) if word in self._places]
        rows = self._rows([other[position] for position in known])
        positions: list[int] = []
        i, j = len(known), len(self._sentence)
        while i and j:
            columns = (1 << j) - 1
            if other[known[i - 1]] == self._sentence[j - 1]:
                i, j = i - 1, j - 1
                positions.append(known[i])
            elif (rows[i] & columns).bit_count() == (rows[i - 1] & columns).bit_count():
                i -= 1
            else:
                j -= 1
        return positions

    def _rows(self, other: Sequence[int]) -> list[int]:
        every = (1 << len(self._sentence)) - 1
        rows = [every]
        for word in other:
            row = rows[-1]
            both = row & self._places[word]
            rows.append(((row + both) | (row - both)) & every)
        return rows

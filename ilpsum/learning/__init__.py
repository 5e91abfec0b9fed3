"""Models: sentence relevance, bigram weights, word vectors."""

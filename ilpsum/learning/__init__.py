"""Models: sentence relevance, concept weights, word vectors."""

"""Relevance by a judge outside: a language model or a reranker behind a web service."""

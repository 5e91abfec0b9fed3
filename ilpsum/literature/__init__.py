"""Records of articles: readers of every common format, identity, and the services that fetch
them.
"""

"""Python for what the command line does: ask, train, sweep, evaluate, compare, link and compress."""

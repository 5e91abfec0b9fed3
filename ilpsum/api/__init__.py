"""Python API of the commands ask, train, sweep, evaluate, compare, link and compress."""

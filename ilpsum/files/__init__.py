"""Reads and writes files whole and safely, and maps work over processes or a cluster."""

"""The exact solver of the selection problem."""

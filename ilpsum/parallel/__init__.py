"""Executors that map work over many items: local processes or a Dask cluster."""

"""One executor for work on many items: local processes or a Dask cluster."""

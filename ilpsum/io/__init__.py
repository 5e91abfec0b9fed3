"""Files, archives, JSON and TOML streams, atomic writes, locks, digests, identifiers, and model files."""

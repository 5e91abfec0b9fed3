"""Files, archives, JSON and TOML streams, identifiers, and model files."""

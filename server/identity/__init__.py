"""Who asks over HTTP: by tokens of an issuer, by keys of our own, or by both. `known.py` puts it together."""

"""The server over Streamable HTTP: both generations of the protocol at one address."""

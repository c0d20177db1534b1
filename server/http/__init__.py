"""The server over Streamable HTTP, for both generations of the protocol at one address."""

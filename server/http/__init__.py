"""The server over Streamable HTTP, with both generations of the protocol at the same address."""

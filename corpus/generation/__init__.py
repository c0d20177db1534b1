"""Text generation: the protocol of generators, and generators that call a service."""

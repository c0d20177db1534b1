"""Text generation: the protocol of generators, and the generators that call a service."""

"""Text written by a model: the protocol of every generator, and the one that asks a service."""

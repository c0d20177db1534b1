"""Text written by a model: the promise of every generator, and the one that asks a service."""

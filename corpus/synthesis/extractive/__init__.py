"""An answer put together from sentences, tables and figures of its sources, without a model."""

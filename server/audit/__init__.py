"""The audit log: who asked what, and which documents a call disclosed."""

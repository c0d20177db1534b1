"""The settings: environment variables as one validated model."""

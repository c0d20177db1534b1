"""Office documents."""

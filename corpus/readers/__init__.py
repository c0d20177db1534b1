"""From bytes to blocks, one file per kind of source."""

"""An answer as a single HTML page that needs no network access. It shows each claim with its verdict and the cited
passage."""

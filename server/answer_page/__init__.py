"""An answer as one HTML page without network access: each claim with its verdict and the cited passage."""

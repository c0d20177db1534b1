"""An answer as one HTML page without network access: each claim with its verdict and the place that it cites."""

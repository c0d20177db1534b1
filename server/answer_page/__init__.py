"""An answer as one page that needs no network: each claim with its verdict and the place on the page it cites."""

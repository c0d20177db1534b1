"""The page that supports a claim, with its sentence outlined on a picture of the page."""

"""The page behind a claim: where its sentence is, outlined on a picture of the page."""

"""Words and patterns of questions in French, Spanish, Italian, Dutch and Portuguese, one file for each language."""

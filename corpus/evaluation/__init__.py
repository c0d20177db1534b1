"""Evaluation with questions of one's own: pages found, citations, grounding, refusals, and times."""

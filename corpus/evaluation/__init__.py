"""Evaluation with the user's own questions: pages found, citations, grounding, refusals, and times."""

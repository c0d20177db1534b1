"""Evaluation with the user's own questions: retrieval, citations, grounding, refusals, and response times."""

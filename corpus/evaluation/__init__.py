"""How well questions of one's own are answered: found pages, citations, grounding, refusals, and the time it takes."""

"""docs/performance.md and its drawings, made from what the benches kept as JSON."""

"""docs/performance.md and its drawings, built from the JSON that the benches stored."""

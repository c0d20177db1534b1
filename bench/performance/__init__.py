"""Build docs/performance.md and its drawings from the JSON that the benches stored."""

"""Programs that start Ibid: where their configuration lies, and how an entry gets into it and out again."""

"""Code that surrounds each tool call: arguments, failures, deadline, progress and the log line."""

"""What surrounds each tool call: arguments, failures, deadline, progress and its log line."""

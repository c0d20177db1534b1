"""Where the time of one piece of work goes, function by function."""

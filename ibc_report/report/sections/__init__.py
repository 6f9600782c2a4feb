"""One filler for each section of a report."""

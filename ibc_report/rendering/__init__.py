"""Report to text and figures: templates print, nothing is computed."""

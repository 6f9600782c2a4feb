"""Tasks and their data: where rows come from, which column is the target, and how rows become vectors."""

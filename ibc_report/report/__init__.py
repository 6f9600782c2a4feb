"""From stages to the document: its schema, its sections, comparisons and rules."""

"""Statistics of scores, by the names of the field: proportions, comparisons, power."""

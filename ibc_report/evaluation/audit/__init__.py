"""What a test split can tell, from the data alone: leakage, shortcuts, baselines, curves."""

"""Arithmetic of test sets: what a score can tell, what trivial predictors reach, and what leaks."""

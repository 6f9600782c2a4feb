"""Predictions to results: files read, answers matched and graded, models compared."""

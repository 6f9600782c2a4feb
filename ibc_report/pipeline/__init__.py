"""The ways through all stages: task to report, predictions to results, a catalog of both."""

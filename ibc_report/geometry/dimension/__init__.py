"""The intrinsic dimension: estimators, their errors and bias, over parts and by class."""

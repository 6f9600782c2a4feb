"""Bits from numbers: one bound, several spaces, the task families on them.

Examples
--------
>>> from ibc_report.complexity import classification
>>> task = classification(n=1797, radius=4.806, dimension=8.11, classes=10, margin=1.1792, target_error=0.01)
>>> round(task.log10_bits, 2)
10.56
"""

from ibc_report.complexity.benchmarks import PUBLISHED, Published, published_named, recognise
from ibc_report.complexity.bound import Complexity, Flag
from ibc_report.complexity.control import control, partially_observed_control
from ibc_report.complexity.conventions import CONVENTIONS, RELEASED, Convention, convention_named
from ibc_report.complexity.families import FAMILIES, Family, ModelInformation, evaluate, model_information
from ibc_report.complexity.meta_learning import few_shot, few_shot_tasks
from ibc_report.complexity.supervised import classification, regression, union
from ibc_report.complexity.uncertainty import Ends, Noise, Ranges, Spread, spread

__all__ = [
    "CONVENTIONS",
    "FAMILIES",
    "PUBLISHED",
    "RELEASED",
    "Complexity",
    "Convention",
    "Ends",
    "Family",
    "Flag",
    "ModelInformation",
    "Noise",
    "Published",
    "Ranges",
    "Spread",
    "classification",
    "control",
    "convention_named",
    "evaluate",
    "few_shot",
    "few_shot_tasks",
    "model_information",
    "partially_observed_control",
    "published_named",
    "recognise",
    "regression",
    "spread",
    "union",
]

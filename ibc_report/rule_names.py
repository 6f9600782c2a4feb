"""What a rule can be about: short names for what a rule is most often about, and every path of the document.

=====================================  ==========================================================
Name                                   What it is
=====================================  ==========================================================
log10_bits                             log10 of the bits
log10_bits.lower, .upper, .level       its interval
n, m, dimension, margin, radius, ...   a number of the card's table, by its key; m is the dimension
A1 to A16                              the verdict on an assumption
A7.value, A7.change, ...               another field of the same assumption
convention, family, name               as the report has them
encoder, target                        of the data
test.halfwidth_at_0.9                  half the width of the 95 % Wilson interval at that accuracy
results.PATH                           a path of the results, where a file of results is given
PATH                                   a path of the report
=====================================  ==========================================================
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ibc_report.complexity import CONVENTIONS
from ibc_report.document_paths import Found, find, paths
from ibc_report.encoders import ENCODERS
from ibc_report.errors import UsageError
from ibc_report.evaluation.intervals import halfwidth
from ibc_report.evaluation.results import Results
from ibc_report.report import Report
from ibc_report.suggestions import suggested
from ibc_report.terms import TERMS

__all__ = ["SHORT", "Names"]

SHORT = {
    "log10_bits": "headline.log10_bits",
    "log10_bits.lower": "headline.lower",
    "log10_bits.upper": "headline.upper",
    "log10_bits.level": "headline.level",
    "m": "numbers[dimension].value",
    "encoder": "data.encoder.name",
    "target": "data.target",
    **{key: f"numbers[{key}].value" for key in TERMS},
    **{f"A{number}": f"assumptions[A{number}].verdict" for number in range(1, 17)},
}
"""Short names, and the paths that they stand for."""

WORDS = {"convention": tuple(CONVENTIONS), "data.encoder.name": tuple(ENCODERS)}
"""Words that a value is one of, where the schema does not list them."""

_HALFWIDTH = re.compile(r"test\.halfwidth_at_(?P<accuracy>[0-9.]+)")
_ASSUMPTION = re.compile(r"(?P<id>A\d+)\.(?P<field>.+)")
_ID = re.compile(r"A\d+")


class Names:
    """Values by name.

    Parameters
    ----------
    report : Report
        What rules are about.
    results : Results, optional
        What rules on ``results.…`` are about.
    """

    def __init__(self, report: Report, results: Results | None = None) -> None:
        self._report: dict[str, Any] = report.model_dump(mode="json")
        self._results: dict[str, Any] | None = None if results is None else results.model_dump(mode="json")

    def __getitem__(self, name: str) -> Found:
        """Find a value.

        Parameters
        ----------
        name : str

        Returns
        -------
        Found

        Raises
        ------
        UsageError
            If nothing is called so.
        """
        if (match := _HALFWIDTH.fullmatch(name)) is not None:
            return self._halfwidth(name, match["accuracy"])
        if name == "results" or name.startswith("results."):
            return self._of_results(name)
        path = SHORT.get(name, name)
        if (match := _ASSUMPTION.fullmatch(name)) is not None and match["id"] in SHORT:
            path = f"assumptions[{match['id']}].{match['field']}"
        if re.split(r"[.\[]", path)[0] not in Report.model_fields:
            raise UsageError(f"there is nothing called '{name}'; {_nearest(name)}")
        found = find(Report, self._report, path)
        words = WORDS.get(path, ())
        return replace(found, words=words) if words else found

    def _of_results(self, name: str) -> Found:
        if self._results is None:
            # a wrong name is told before what is missing
            find(Results, {}, name.removeprefix("results").removeprefix("."))
            raise UsageError(f"'{name}' is about results, and none were given; add --results FILE")
        return find(Results, self._results, name.removeprefix("results").removeprefix("."))

    def _halfwidth(self, name: str, accuracy: str) -> Found:
        try:
            value = float(accuracy)
        except ValueError:
            value = 2.0
        if not 0 <= value <= 1:
            raise UsageError(f"'{name}' is at no accuracy; write it as in test.halfwidth_at_0.9")
        found = find(Report, self._report, "test.precision.n")
        if found.value is None:
            return found
        return Found(halfwidth(value, int(found.value)))


def _nearest(name: str) -> str:
    """What was meant: a path that ends so, else the nearest of the short names."""
    ends = [path for path in paths(Report) if path.endswith(f".{name}")]
    if ends:
        return f"did you mean '{ends[0]}'?"
    assumptions = [key for key in SHORT if _ID.fullmatch(key)]
    others = [*(key for key in SHORT if key not in assumptions), "results", "test.halfwidth_at_0.9"]
    # sixteen names that differ by a number are one entry of the list, and whole records, which no rule compares, none
    listed = [f"{assumptions[0]} to {assumptions[-1]}", *others]
    return suggested(name, [*assumptions, *others, *Report.model_fields], listed)

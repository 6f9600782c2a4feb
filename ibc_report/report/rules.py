"""Rules that a report has to hold, as in ``log10_bits.upper < 20``: read, and checked.

A rule is NAME OPERATOR VALUE. The operators are <, <=, >, >=, == and !=, of which words have the last two; a value is a
number or a word. A word may have spaces in it and may stand in double or single quotes. A name is a short one for what
a rule is most often about, or a path of the document:

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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path
from typing import Any

from ibc_report.common.errors import IbcReportError, UsageError, suggested
from ibc_report.common.untrusted import refuse_special
from ibc_report.complexity import CONVENTIONS
from ibc_report.data.encoder_names import ENCODERS
from ibc_report.evaluation.statistics.proportions import halfwidth
from ibc_report.report.agreement import disagreement
from ibc_report.report.assumptions import IDS
from ibc_report.report.paths import Found, Value, find, paths
from ibc_report.report.schema.document import ReportDocument
from ibc_report.report.schema.results import Results
from ibc_report.report.sections.numbers import TERMS

__all__ = ["OPERATORS", "SHORT", "Rule", "RuleFailure", "RuleNames", "RuleOutcome", "check", "parse", "read"]

OPERATORS: dict[str, Callable[[Value, Value], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}

_RULE = re.compile(
    r"(?P<name>(?:[^\s<>=!\[\]]|\[(?:\"[^\"]*\"|[^\[\]\"]*)\])+)\s*(?P<operator>[<>=!]+)\s*(?P<value>.*)", re.DOTALL
)

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class RuleFailure(IbcReportError):
    """A rule that the user set does not hold."""

    exit_status = 3


@dataclass(frozen=True, slots=True)
class Rule:
    """What a value has to be.

    Parameters
    ----------
    name : str
        Of the value.
    operator : str
        A key of `OPERATORS`.
    value : float or str
        What it is compared with.
    text : str
        The rule as it was written.
    """

    name: str
    operator: str
    value: float | str
    text: str


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """What became of a rule.

    Parameters
    ----------
    rule : Rule
    value : float, str, bool or None
        What the report has; None where it has nothing.
    holds : bool
    said : str
        The rule, and the value or why there is none.
    """

    rule: Rule
    value: Value | None
    holds: bool
    said: str


def parse(text: str) -> Rule:
    """Read a rule.

    Parameters
    ----------
    text : str
        As in ``A7 != violated``.

    Returns
    -------
    Rule

    Raises
    ------
    UsageError
        If it is none.

    Examples
    --------
    >>> rule = parse("log10_bits.upper<20")
    >>> rule.name, rule.operator, rule.value
    ('log10_bits.upper', '<', 20.0)
    >>> parse('A11 == "not testable"').value, parse("A11 == 'not testable'").value
    ('not testable', 'not testable')
    """
    said = " ".join(text.split())
    match = _RULE.fullmatch(text.strip())
    if match is None or not match["value"]:
        raise UsageError(f"'{said}' is no rule; write it as NAME < VALUE, with one of {', '.join(OPERATORS)}")
    operator, value = match["operator"], match["value"]
    if operator not in OPERATORS:
        raise UsageError(f"'{said}' has no such operator as '{operator}'; write one of {', '.join(OPERATORS)}")
    if _NUMBER.fullmatch(value) is not None:
        number = float(value)
        if number in (float("inf"), float("-inf")):
            raise UsageError(f"'{said}' has a number that is too large to compare with")
        return Rule(match["name"], operator, number, said)
    quoted = re.fullmatch(r"\"([^\"]*)\"|'([^']*)'", value)
    word = value if quoted is None else quoted[quoted.lastindex or 1]
    if quoted is None and value.startswith("'"):
        raise UsageError(f"'{said}' has a quote that does not end; write the word in double quotes")
    if quoted is None and re.search(r'[<>=!"]', value) is not None:
        raise UsageError(f"'{said}' has more than one comparison; write two rules, or the word in double quotes")
    if operator not in ("==", "!="):
        raise UsageError(f"'{said}' compares the word '{word}' by '{operator}'; words have == and !=")
    return Rule(match["name"], operator, word, said)


def read(path: Path) -> tuple[Rule, ...]:
    """Read a file of rules.

    Parameters
    ----------
    path : Path
        UTF-8 text with a rule on a line; lines that are empty or begin with # say nothing.

    Returns
    -------
    tuple of Rule

    Raises
    ------
    UsageError
        If the file cannot be read, has no rule, or has a line that is none.
    """
    refuse_special(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist; give a file with a rule on each line") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as rules: {error}") from error
    rules = []
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                rules.append(parse(line))
            except UsageError as error:
                raise UsageError(f"{path}:{number}: {error}") from None
    if not rules:
        raise UsageError(f"{path} has no rule; write one on each line, as in log10_bits.upper < 20")
    return tuple(rules)


def check(rules: Iterable[Rule], report: ReportDocument, results: Results | None = None) -> tuple[RuleOutcome, ...]:
    """Compare a report with rules.

    Parameters
    ----------
    rules : iterable of Rule
    report : Report
    results : Results, optional
        What rules on ``results.…`` are about.

    Returns
    -------
    tuple of Outcome
        In the order of the rules. A rule on a value that the report lacks does not hold.

    Raises
    ------
    UsageError
        If a rule is about nothing that a report has, or compares a number with a word, or the results are not of the
        report's task.
    """
    wrong = None if results is None else disagreement(report, results)
    if wrong is not None:
        raise UsageError(wrong)
    names = RuleNames(report, results)
    return tuple(_outcome(rule, names[rule.name]) for rule in rules)


def _outcome(rule: Rule, found: Found) -> RuleOutcome:
    value, wanted = found.value, rule.value
    if isinstance(wanted, str) and found.words and wanted not in found.words:
        raise UsageError(f"'{rule.text}': {rule.name} is never '{wanted}'; {suggested(wanted, found.words)}")
    if value is None:
        return RuleOutcome(rule, None, False, f"{rule.text}: there is no value: {found.reason}")
    if isinstance(value, bool):
        if wanted not in ("true", "false"):
            raise UsageError(f"'{rule.text}': {rule.name} is true or false; compare it with == true or == false")
        holds = OPERATORS[rule.operator](str(value).lower(), wanted)
        return RuleOutcome(rule, value, holds, f"{rule.text}: it is {str(value).lower()}")
    if isinstance(value, str):
        if isinstance(wanted, float):
            wanted = _as_written(rule)
        if rule.operator not in ("==", "!="):
            raise UsageError(f"'{rule.text}': {rule.name} is the word '{value}'; words have == and !=")
    elif isinstance(wanted, str):
        raise UsageError(f"'{rule.text}': {rule.name} is a number, and '{wanted}' is none")
    holds = OPERATORS[rule.operator](value, wanted)
    # "it is holds" would be no sentence
    shown = f"the report has '{value}'" if isinstance(value, str) else f"it is {value}"
    return RuleOutcome(rule, value, holds, f"{rule.text}: {shown}")


def _as_written(rule: Rule) -> str:
    """A word that looks like a number."""
    return rule.text[len(rule.name) :].lstrip().removeprefix(rule.operator).strip()


SHORT = {
    "log10_bits": "headline.log10_bits",
    "log10_bits.lower": "headline.lower",
    "log10_bits.upper": "headline.upper",
    "log10_bits.level": "headline.level",
    "m": "numbers[dimension].value",
    "encoder": "data.encoder.name",
    "target": "data.target",
    **{key: f"numbers[{key}].value" for key in TERMS},
    **{id: f"assumptions[{id}].verdict" for id in IDS},
}
"""Short names, and the paths that they stand for."""

WORDS = {"convention": tuple(CONVENTIONS), "data.encoder.name": tuple(ENCODERS)}
"""Words that a value is one of, where the schema does not list them."""

_HALFWIDTH = re.compile(r"test\.halfwidth_at_(?P<accuracy>[0-9.]+)")

_ASSUMPTION = re.compile(r"(?P<id>A\d+)\.(?P<field>.+)")

_ID = re.compile(r"A\d+")


class RuleNames:
    """Values by name.

    Parameters
    ----------
    report : Report
        What rules are about.
    results : Results, optional
        What rules on ``results.…`` are about.
    """

    def __init__(self, report: ReportDocument, results: Results | None = None) -> None:
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
        if re.split(r"[.\[]", path)[0] not in ReportDocument.model_fields:
            raise UsageError(f"there is nothing called '{name}'; {_nearest(name)}")
        found = find(ReportDocument, self._report, path)
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
        found = find(ReportDocument, self._report, "test.precision.n")
        if found.value is None:
            return found
        return Found(halfwidth(value, int(found.value)))


def _nearest(name: str) -> str:
    """What was meant: a path that ends so, else the nearest of the short names."""
    ends = [path for path in paths(ReportDocument) if path.endswith(f".{name}")]
    if ends:
        return f"did you mean '{ends[0]}'?"
    assumptions = [key for key in SHORT if _ID.fullmatch(key)]
    others = [*(key for key in SHORT if key not in assumptions), "results", "test.halfwidth_at_0.9"]
    # sixteen names that differ by a number are one entry of the list, and whole records, which no rule compares, none
    listed = [f"{assumptions[0]} to {assumptions[-1]}", *others]
    return suggested(name, [*assumptions, *others, *ReportDocument.model_fields], listed)

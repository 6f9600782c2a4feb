"""Rules that a report has to hold, as in ``log10_bits.upper < 20``: read, and checked.

A rule is NAME OPERATOR VALUE. The names are those of `ibc_report.rule_names`; the operators are <, <=, >, >=, == and
!=, of which words have the last two; a value is a number or a word. A word may have spaces in it and may stand in
double or single quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from pathlib import Path

from ibc_report.document_paths import Found, Value
from ibc_report.errors import IbcReportError, UsageError
from ibc_report.evaluation.results import Results
from ibc_report.publish.agreement import disagreement
from ibc_report.report import Report
from ibc_report.rule_names import Names
from ibc_report.suggestions import suggested

__all__ = ["OPERATORS", "Outcome", "Rule", "RuleFailure", "check", "parse", "read"]

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
class Outcome:
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


def check(rules: Iterable[Rule], report: Report, results: Results | None = None) -> tuple[Outcome, ...]:
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
    names = Names(report, results)
    return tuple(_outcome(rule, names[rule.name]) for rule in rules)


def _outcome(rule: Rule, found: Found) -> Outcome:
    value, wanted = found.value, rule.value
    if isinstance(wanted, str) and found.words and wanted not in found.words:
        raise UsageError(f"'{rule.text}': {rule.name} is never '{wanted}'; {suggested(wanted, found.words)}")
    if value is None:
        return Outcome(rule, None, False, f"{rule.text}: there is no value: {found.reason}")
    if isinstance(value, bool):
        if wanted not in ("true", "false"):
            raise UsageError(f"'{rule.text}': {rule.name} is true or false; compare it with == true or == false")
        holds = OPERATORS[rule.operator](str(value).lower(), wanted)
        return Outcome(rule, value, holds, f"{rule.text}: it is {str(value).lower()}")
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
    return Outcome(rule, value, holds, f"{rule.text}: {shown}")


def _as_written(rule: Rule) -> str:
    """A word that looks like a number."""
    return rule.text[len(rule.name) :].lstrip().removeprefix(rule.operator).strip()

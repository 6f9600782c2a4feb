"""Text from a dataset is hostile: here it becomes safe for Markdown. HTML is Jinja's own autoescaping.

A string that is to be printed as Markdown source has the type `Markdown`; every other value that a Markdown
template prints goes through `escape`.
"""

from __future__ import annotations

import re

__all__ = ["Markdown", "code", "escape", "fenced", "one_line", "printable", "raised"]

_SPECIAL = re.compile(r"[`*_{}\[\]#]")

# Entities, where a backslash would not do everywhere: not all Markdown knows "\\|", and "\\\\(" opens a formula on
# the Hub.
_ENTITIES = {"\\": "&#92;", "|": "&#124;", "~": "&#126;", "$": "&#36;", "@": "&#64;"}

_WHITE = re.compile(r"\s+")

_POWER = re.compile(r"10\^(−?[0-9.]*[0-9])")

# What neither HTML nor XML may hold, and what UTF-8 cannot write; python-markdown keeps two of them to itself.
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")

# Inside back quotes these would break a table, or open HTML to a careless reader of Markdown.
_NOT_QUOTED = re.compile(r"[|<&\\]")


class Markdown(str):
    """Text that is Markdown source already."""

    __slots__ = ()


def printable(text: str) -> str:
    r"""Replace what cannot be printed.

    Returns
    -------
    str
        Text that HTML, XML and UTF-8 can hold.

    Examples
    --------
    >>> printable("a\n b\0")
    'a\n b\ufffd'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    r"""Fold white space, and replace what cannot be printed.

    Returns
    -------
    str
        Text that HTML, XML and UTF-8 can hold, on one line.

    Examples
    --------
    >>> one_line(" a\n b\0")
    'a b\ufffd'
    """
    return printable(_WHITE.sub(" ", text).strip())


def escape(value: object) -> Markdown:
    r"""Make a value print as itself in Markdown, on one line.

    Parameters
    ----------
    value : object
        Text of any origin; `Markdown` is returned as it is.

    Returns
    -------
    Markdown
        Without markup, HTML, line breaks, links that a renderer would make by itself, and mentions.

    Examples
    --------
    >>> escape("*a* <b> | www.x.org @you")
    '\\*a\\* &lt;b&gt; &#124; www&#46;x.org &#64;you'
    """
    if isinstance(value, Markdown):
        return value
    text = one_line("" if value is None else str(value))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for character, entity in _ENTITIES.items():
        text = text.replace(character, entity)
    text = _SPECIAL.sub(r"\\\g<0>", text).replace("&\\#", "&#")
    text = text.replace("://", "&#58;//")
    text = re.sub(r"\bwww\.", "www&#46;", text, flags=re.IGNORECASE)
    # an address of a paper, even as plain text, could tag the dataset on the Hub
    text = re.sub(r"\b(arxiv)\.", r"\1&#46;", text, flags=re.IGNORECASE)
    # at the start of a line these would open a list or a rule
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)
    text = re.sub(r"^([-+])", r"\\\1", text)
    text = re.sub(r"^=", "&#61;", text)
    return Markdown(text)


def code(value: object) -> Markdown:
    """Print a value as inline code, on one line.

    Returns
    -------
    Markdown
        In back quotes, or in a code element where back quotes would not keep the text whole.

    Examples
    --------
    >>> code("a `b`")
    '`` a `b` ``'
    >>> code("a | b")
    '<code>a &#124; b</code>'
    """
    text = one_line(str(value))
    if not text or _NOT_QUOTED.search(text):
        return Markdown(f"<code>{escape(text)}</code>")
    ticks = "`" * (_longest_run(text) + 1)
    space = " " if "`" in text else ""
    return Markdown(f"{ticks}{space}{text}{space}{ticks}")


def fenced(value: object, language: str = "") -> Markdown:
    """Print a value as a block of code.

    Parameters
    ----------
    value : object
        Any text, line breaks kept.

    Examples
    --------
    >>> print(fenced("x = 1", "python"))
    ```python
    x = 1
    ```
    """
    text = printable(str(value).replace("\r\n", "\n").replace("\r", "\n"))
    fence = "`" * max(3, _longest_run(text) + 1)
    return Markdown(f"{fence}{language}\n{text}\n{fence}")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def raised(text: str) -> str:
    """Raise the exponents of our own wording, in text that is escaped already: HTML, or Markdown, which takes it too.

    Examples
    --------
    >>> raised("10^16.2 bits")
    '10<sup>16.2</sup> bits'
    """
    return _POWER.sub(r"10<sup>\1</sup>", text)

"""A submission as one HTML file, and as the text of a pull request."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markupsafe import escape as escape_html

from ibc_report.common.escaping import Markdown, code, escape, printable, raised
from ibc_report.publish.submission import Submission
from ibc_report.rendering import cards
from ibc_report.rendering.results import results_markdown
from ibc_report.report.schema.document import ReportDocument

__all__ = ["active", "card_text", "content", "digests_of", "html", "markdown", "text_of"]

MARK = "ibc-submission"
"""Class of what stands in the page beside the card."""

LONGEST = 20_000
"""Characters of results that the text of a pull request takes; of more, it has what is said of the model alone."""

_WHITE = re.compile(r"\s+")

_RUNS = re.compile(r"<\s*(script|iframe|frame|object|embed|applet|form|base)\b", re.IGNORECASE)

_LOADS = frozenset(("src", "srcset", "srcdoc", "action", "formaction", "background", "data", "poster", "http-equiv"))

_UNSEEN = frozenset(("head", "script", "style", "svg"))

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)


def html(submission: Submission, digests: dict[str, str]) -> str:
    """Render the card and the results as one file that asks for nothing else.

    Parameters
    ----------
    digests : dict of str to str
        SHA-256 of the report and the results that it shows, by the keys "report" and "results".
    """
    from markdown import markdown as to_html

    # what the results print of others is escaped for Markdown, which is safe in HTML too
    results = to_html(printable(_deeper(results_markdown(submission.results))), extensions=["tables"])
    entry, model = submission.entry, escape_html(submission.repository)
    level = f"{100 * submission.results.level:g} %"
    kept = " ".join(f'data-{key}="{digest}"' for key, digest in sorted(digests.items()))
    above = (
        f'<p class="{MARK} ibc-muted">Attached to {model}: accuracy {escape_html(entry.text)}, {level} interval '
        f'{escape_html(entry.wilson.text)}. <a href="#{MARK}">Its results</a> stand below the card of the task.</p>'
    )
    below = f'<section class="{MARK}" id="{MARK}" {kept}>\n{_scrolling(raised(results))}\n</section>'
    start, opened, rest = cards.html(submission.report).partition("<main>")
    card, closed, end = rest.rpartition("</main>")
    return f"{start}{opened}\n{above}{card}{below}\n{closed}{end}"


def markdown(submission: Submission, page: str, folder: str) -> str:
    """Write the text of a pull request.

    Parameters
    ----------
    page : str
        Address of the model's page.
    folder : str
        Where the bundle lies in the model's repository.

    Returns
    -------
    str
        Markdown as the Hub renders it.
    """
    entry, results, report = submission.entry, submission.results, submission.report
    level = f"{100 * results.level:g} %"
    where = escape(results.test.name)
    pinned = f" at {code(submission.revision)}" if submission.revision else ""
    split = f", split {escape(results.test.split)}" if results.test.split else ""
    printed = raised(_deeper(results_markdown(results)))
    whole = len(printed) <= LONGEST
    facts = _facts(submission) if whole else [*_facts(submission), escape(results.resolution.text)]
    lines = [
        f"**Accuracy {escape(entry.text)}**, {level} interval {escape(entry.wilson.text)} (Wilson), on "
        f"{entry.n:,} examples of {where}{pinned}{split}.",
        "\n".join(f"- {fact}" for fact in facts),
        "What is doubtful of the task's number:" if report.doubts else "",
        "\n".join(f"- {escape(doubt)}" for doubt in report.doubts),
        printed.strip() if whole else "",
        "## Files",
        "The card of the task, the results, both as JSON with their schemas, a Croissant annotation and a manifest "
        f"with SHA-256 lie in {code(folder)}: {page}/tree/main/{folder}. After a download, "
        f"{code('ibc-report verify FOLDER')} says whether they are whole and belong together.",
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def card_text(page: str) -> str:
    """Read what a page says outside of its figures and of what was added to the card.

    Parameters
    ----------
    page : str
        HTML of a card or of a submission.

    Returns
    -------
    str
        On one line.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return _WHITE.sub(" ", " ".join(reader.said)).strip()


def digests_of(page: str) -> dict[str, str]:
    """Read which report and results a page was made of.

    Returns
    -------
    dict of str to str
        SHA-256 by the keys "report" and "results"; empty where the page says none.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.digests


def text_of(page: str) -> str:
    """Read all that a page says outside of its figures.

    Parameters
    ----------
    page : str
        HTML of a submission.

    Returns
    -------
    str
        On one line.
    """
    return _WHITE.sub(" ", " ".join(part for part in content(page) if not part.startswith("<"))).strip()


def content(page: str) -> tuple[str, ...]:
    """Take a page apart into tags with their attributes, and text, without what is drawn in its figures.

    Returns
    -------
    tuple of str
        In the page's order; a tag begins with "<", and white space is one space.
    """
    reader = _Parts()
    reader.feed(page)
    reader.close()
    return tuple(reader.parts)


def active(page: str) -> str | None:
    """Find what a page would run or load.

    Returns
    -------
    str or None
        The element or attribute; None where there is nothing of this kind, as on every page of this package.
    """
    found = _RUNS.search(page)
    if found is not None:
        return f"a <{found[1].lower()}>"
    reader = _Parts()
    reader.feed(page)
    reader.close()
    return reader.active


class _Parts(HTMLParser):
    """Collects tags and text outside of figures, and what a page runs or loads anywhere."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.active: str | None = None
        self._drawn = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag."""
        for key, value in attrs:
            address = _WHITE.sub("", value or "").lower()
            if (
                key.startswith("on")
                or address.startswith(("javascript:", "vbscript:"))
                or (key in _LOADS and not address.startswith("data:image/"))
                or (tag in ("link", "use", "image") and "href" in key and not address.startswith(("data:", "#")))
            ):
                self.active = self.active or f"a <{tag}> with the attribute '{key}'"
        if not self._drawn:
            self.parts.append(f"<{tag} {sorted((key, value or '') for key, value in attrs)}")
        if tag == "svg":
            self._drawn += 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag; it holds nothing."""
        self.handle_starttag(tag, attrs)
        if tag == "svg":
            self._drawn -= 1

    def handle_endtag(self, tag: str) -> None:
        """Keep an end tag."""
        if tag == "svg":
            self._drawn = max(0, self._drawn - 1)
        if not self._drawn:
            self.parts.append(f"</{tag}")

    def handle_data(self, data: str) -> None:
        """Keep text."""
        said = _WHITE.sub(" ", data).strip()
        if said and not self._drawn:
            self.parts.append(said)


class _Reader(HTMLParser):
    """Collects text, and the digests of the added section."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.said: list[str] = []
        self.digests: dict[str, str] = {}
        self._skipped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin to leave out, or go on with it."""
        given = dict(attrs)
        added = MARK in (given.get("class") or "").split()
        if added and given.get("id") == MARK:
            self.digests = {key.removeprefix("data-"): value or "" for key, value in attrs if key.startswith("data-")}
        if tag not in _VOID and (self._skipped or added or tag in _UNSEEN):
            self._skipped.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End what was left out; an end tag closes what is open inside of it."""
        if tag in self._skipped:
            while self._skipped.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Keep text."""
        if not self._skipped:
            self.said.append(data)


def _facts(submission: Submission) -> list[str]:
    entry, report, results = submission.entry, submission.report, submission.results
    facts = [f"Difficulty of the task: {_bits(report)}. {escape(report.headline.is_not)}"]
    if entry.best_rank is not None:
        facts.append(f"Rank {escape(entry.rank_text)} of {len(results.models)} models, as far as the tests tell.")
    if entry.skill is not None:
        facts.append(f"Skill over the majority class: {escape(entry.skill_text)}.")
    if entry.bits is not None:
        facts.append(f"Bits of the task at the model's error: {raised(escape(entry.bits.text))}.")
    return facts


def _bits(report: ReportDocument) -> str:
    head = report.headline
    if head.exponent is None:
        return "0 bits"
    said = f"10<sup>{escape(head.exponent)}</sup> bits"
    if head.lower_exponent is None or head.upper_exponent is None:
        return said
    ends = f"10<sup>{escape(head.lower_exponent)}</sup> and 10<sup>{escape(head.upper_exponent)}</sup>"
    return f"{said}, between {ends}"


def _deeper(text: str) -> Markdown:
    """The same with every heading a level down."""
    return Markdown(re.sub(r"^(#+ )", r"#\1", text, flags=re.MULTILINE))


def _scrolling(text: str) -> str:
    """Wide tables in a box that scrolls."""
    return text.replace(
        "<table>", '<div class="ibc-scroll" tabindex="0" role="region" aria-label="Results"><table>'
    ).replace("</table>", "</table></div>")

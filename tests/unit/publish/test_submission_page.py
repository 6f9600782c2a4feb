"""The page of a submission and the text of its pull request."""

from __future__ import annotations

import re

import pytest
from markdown import markdown as to_html

from ibc_report import Report
from ibc_report.publish.submission_page import LONGEST, card_text, digests_of, html, markdown
from ibc_report.rendering import cards
from tests.support.submissions import MODEL, hub_report, made, results

DIGESTS = {"report": "a" * 64, "results": "b" * 64}

HOSTILE = "<script>alert(1)</script> | [x](javascript:y) `*_ \"'&</main></section>"


def hostile() -> Report:
    """The report with a title that would be markup."""
    return hub_report().model_copy(update={"title": HOSTILE})


def test_the_page_shows_card_and_results() -> None:
    """The page holds the whole card, the model with its accuracy, and a table of all models."""
    page = html(made(), DIGESTS)
    assert card_text(page) == card_text(cards.html(hub_report()))
    assert digests_of(page) == DIGESTS
    assert f"Attached to {MODEL}: accuracy {made().entry.text}" in page
    assert all(f"<td>{model.name}</td>" in page for model in results().models)
    assert "10^" not in re.sub(r"<pre>.*?</pre>|<svg.*?</svg>", "", page[page.index("<section") :], flags=re.DOTALL)


def test_the_page_asks_for_nothing() -> None:
    """The page loads no file, script, font or picture from anywhere."""
    page = html(made(), DIGESTS)
    assert re.findall(r"<(?:script|iframe|object|embed|form)\b", page) == []
    assert re.findall(r"<(?:img|link)\b[^>]*(?:src|href)=\"(?!data:)", page) == []
    assert re.findall(r"url\((?!#)", page) == []


def test_hostile_names_stay_text() -> None:
    """Markup in titles and names of models is text, on the page and in the pull request."""
    models = tuple(model.model_copy(update={"name": f"{HOSTILE}{i}"}) for i, model in enumerate(results().models))
    pairs = tuple(pair.model_copy(update={"first": f"{HOSTILE}0", "second": HOSTILE}) for pair in results().pairs)
    named = results().model_copy(update={"models": models, "pairs": pairs, "title": HOSTILE})
    submission = made(report=hostile(), results=named, name=f"{HOSTILE}0")
    page = html(submission, DIGESTS)
    for text in (page, to_html(markdown(submission, "https://x.org/a/b", "f"), extensions=["tables"])):
        assert "<script" not in text
        assert 'href="javascript' not in text
    assert page.count("</main>") == 1
    assert card_text(page) == card_text(cards.html(hostile()))
    assert digests_of(page) == DIGESTS


def test_a_changed_word_of_the_card_shows() -> None:
    """The text of a page with another number in it is not that of the card."""
    page = html(made(), DIGESTS)
    exponent = f"<sup>{hub_report().headline.exponent}</sup>"
    assert card_text(page.replace(exponent, "<sup>3.1</sup>", 1)) != card_text(page)


def test_the_pull_request_says_what_matters() -> None:
    """The text has the accuracy and the bits with their intervals, and the commit of the dataset."""
    text = markdown(made(), "https://x.org/a/b", ".ibc-report/iris")
    head = hub_report().headline
    assert text.startswith(
        f"**Accuracy {made().entry.text}**, 95 % interval {made().entry.wilson.text} (Wilson), on 150"
    )
    assert f"`{made().revision}`" in text
    assert f"10<sup>{head.exponent}</sup> bits, between 10<sup>{head.lower_exponent}</sup>" in text
    assert "https://x.org/a/b/tree/main/.ibc-report/iris" in text
    assert "| good |" in text
    assert text.count(results().resolution.text[:40]) == 1


def test_many_models_leave_the_pull_request_short() -> None:
    """Where the tables are long the text has what is said of the model alone."""
    first = results().models[0]
    more = tuple(first.model_copy(update={"name": f"model {i}"}) for i in range(400))
    text = markdown(made(results=results().model_copy(update={"models": (first, *more)}), name="good"), "p", "f")
    assert len(text) < LONGEST
    assert "| good |" not in text
    assert results().resolution.text[:40] in text


@pytest.mark.parametrize("page", ["", "<p>", "</div></p>x", "<svg><p>y", '<p class="ibc-submission">z</p>w<br>'])
def test_any_markup_can_be_read(page: str) -> None:
    """Broken pages give some text and no digest."""
    assert digests_of(page) == {}
    assert isinstance(card_text(page), str)

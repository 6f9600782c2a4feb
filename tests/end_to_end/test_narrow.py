"""Cards on a phone: figures fit the screen, and columns of text keep a width that can be read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.support.chromium import browsing
from tests.support.once import Once

pytestmark = pytest.mark.browser

PHONE = 390


@pytest.fixture(scope="module")
def card(once: Once) -> Iterator[Page]:
    """The card of the digits on a phone, with all that can be folded open."""
    with browsing() as browser:
        page = browser.new_page(viewport={"width": PHONE, "height": 844})
        page.set_content(once.measured("builtin:digits").to_html())
        page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
        yield page


def test_columns_of_text_are_wide_enough(card: Page) -> None:
    """Every column of sentences has room for several words a line, and its table scrolls rather than the page."""
    widths = card.eval_on_selector_all("td.ibc-note", "all => all.map(one => one.getBoundingClientRect().width)")
    long = card.eval_on_selector_all(
        ".ibc td",
        "all => all.filter(one => one.innerText.length > 60 && one.getBoundingClientRect().width < 150)"
        ".map(one => one.innerText)",
    )

    assert len(widths) > 10
    assert min(widths) >= 200
    assert long == []
    assert card.evaluate("document.documentElement.scrollWidth") == PHONE


def test_figures_fit_the_screen(card: Page) -> None:
    """No figure is wider than the screen, so that neither its farthest dot nor its right half is hidden."""
    boxes = card.eval_on_selector_all(
        "figure svg", "all => all.map(one => [one.getBoundingClientRect().left, one.getBoundingClientRect().right])"
    )

    assert len(boxes) > 4
    assert all(0 <= left < right <= PHONE for left, right in boxes)

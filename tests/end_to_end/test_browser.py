"""Cards and pages in Chromium: narrow and wide, light and dark, with and without script, and on paper."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.support.chromium import browsing, serving
from tests.support.once import Once
from tests.support.site_building import example

pytestmark = pytest.mark.browser

PAGES = ("card.html", "", "catalog/", "tasks/digits/", "tasks/mnist-published/", "method/", "schema/", "command-line/")

CONTRAST = """
(selector) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  // a colour of any notation as red, green, blue and opacity
  function channels(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  }
  function over(top, below) {
    return [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  }
  function luminance(colour) {
    const [r, g, b] = colour.slice(0, 3).map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function background(element) {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(channels(getComputedStyle(e).backgroundColor));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches && document.querySelector("body.ibc");
    return layers.reduceRight((below, top) => over(top, below), dark ? [18, 18, 18, 1] : [255, 255, 255, 1]);
  }
  return Array.from(document.querySelectorAll(selector))
    .filter((e) => e.textContent.trim() && e.getClientRects().length)
    .map((e) => {
      const style = getComputedStyle(e);
      const below = background(e);
      const ink = over(channels(e.tagName === "text" ? style.fill : style.color), below);
      const [high, low] = [luminance(ink), luminance(below)].sort((a, b) => b - a);
      return [(high + 0.05) / (low + 0.05), e.tagName + ": " + e.textContent.trim().slice(0, 40)];
    });
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for all tests of the module."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def address(browser: Browser, once: Once) -> Iterator[str]:
    """The address of the built example, with the card of the digits beside it."""

    def add_card(folder: Path) -> None:
        shutil.copytree(example(once), folder, dirs_exist_ok=True)
        (folder / "card.html").write_text(once.measured("builtin:digits").to_html(), encoding="utf-8")

    with serving(once.made("browsed", add_card)) as found:
        yield found


def opened(browser: Browser, url: str, **settings: Any) -> Iterator[Page]:
    """A page in a context of its own."""
    context = browser.new_context(**settings)
    page = context.new_page()
    page.goto(url)
    yield page
    context.close()


@pytest.fixture
def catalog(browser: Browser, address: str) -> Iterator[Page]:
    """The catalog page."""
    yield from opened(browser, f"{address}catalog/")


def column(page: Page, index: int) -> list[str]:
    """What a reader sees in a column of the catalog."""
    cells: list[str] = page.eval_on_selector_all(
        f"table.ibc-catalog tbody tr:not([hidden]) td:nth-child({index + 1})", "cells => cells.map(c => c.innerText)"
    )
    return cells


def values(page: Page, index: int) -> list[float]:
    """The numbers that a column is sorted by."""
    found: list[float] = page.eval_on_selector_all(
        f"table.ibc-catalog tbody td:nth-child({index + 1})", "cells => cells.map(c => Number(c.dataset.value))"
    )
    return found


def test_the_catalog_reads_without_script(browser: Browser, address: str) -> None:
    """Without JavaScript the table is there, all of it, with working links and no controls that do nothing."""
    for page in opened(browser, f"{address}catalog/", java_script_enabled=False):
        assert page.locator("table.ibc-catalog tbody tr").count() == 20
        assert page.locator("table.ibc-catalog tbody tr").first.is_visible()
        assert page.locator("table.ibc-catalog button, .ibc-filter").count() == 0
        page.get_by_role("link", name="Iris", exact=True).click()
        assert page.locator("h1").inner_text() == "Iris"


@pytest.mark.parametrize("index", [1, 3, 5, 6, 7, 8], ids=["bits", "robust", "n", "m", "margin", "target error"])
def test_sorting_by_numbers(catalog: Page, index: int) -> None:
    """A click on a head of numbers sorts by their size, a second one the other way, and aria-sort says so."""
    head = catalog.locator("table.ibc-catalog th").nth(index)
    head.get_by_role("button").click()

    assert head.get_attribute("aria-sort") == "ascending"
    assert values(catalog, index) == sorted(values(catalog, index))
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert values(catalog, index) == sorted(values(catalog, index), reverse=True)
    assert len(set(values(catalog, index))) > 2
    assert catalog.locator('th[aria-sort="ascending"], th[aria-sort="descending"]').count() == 1


@pytest.mark.parametrize("index", [0, 4, 9], ids=["task", "family", "from"])
def test_sorting_by_words(catalog: Page, index: int) -> None:
    """A click on a head of words sorts by the alphabet, a second one the other way."""
    head = catalog.locator("table.ibc-catalog th").nth(index)
    head.get_by_role("button").click()
    words = [word.lower() for word in column(catalog, index)]

    assert words == sorted(words)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert [word.lower() for word in column(catalog, index)] == sorted(words, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"


def test_sorting_by_keyboard(catalog: Page) -> None:
    """The heads are buttons that the tab key reaches, with a visible focus, and that Enter and Space press."""
    catalog.locator(".ibc-filter input").focus()
    for _ in range(3):
        catalog.keyboard.press("Tab")
        if catalog.evaluate("document.activeElement.className") == "ibc-sort":
            break

    assert catalog.evaluate("document.activeElement.textContent") == "Task"
    assert catalog.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    catalog.keyboard.press("Enter")
    assert column(catalog, 0)[0] == "banking77"
    catalog.keyboard.press("Space")
    assert column(catalog, 0)[0] == "Wine"


def test_the_filter_counts_and_is_in_the_address(catalog: Page) -> None:
    """Typing leaves the rows that match, says how many, and writes the address, which emptying restores."""
    field = catalog.get_by_role("searchbox", name="Filter")
    field.fill("CartPole")

    assert len(column(catalog, 0)) == 5
    assert catalog.locator(".ibc-filter output").inner_text().strip() == "5 of 20"
    assert catalog.url.endswith("/catalog/?task=CartPole")
    field.fill("")
    assert len(column(catalog, 0)) == 20
    assert catalog.url.endswith("/catalog/")


def test_an_address_filters(browser: Browser, address: str) -> None:
    """A shared address shows the same rows, and sorting keeps them."""
    for page in opened(browser, f"{address}catalog/?task=wine"):
        assert column(page, 0) == ["Wine"]
        assert page.get_by_role("searchbox", name="Filter").input_value() == "wine"
        page.locator("table.ibc-catalog th").first.get_by_role("button").click()
        assert column(page, 0) == ["Wine"]


@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_scrolls_sideways(browser: Browser, address: str, width: int) -> None:
    """At 360 and 1280 pixels no page is wider than its window."""
    wide = []
    for page in opened(browser, address, viewport={"width": width, "height": 800}):
        for name in PAGES:
            page.goto(address + name)
            needed = page.evaluate("document.documentElement.scrollWidth")
            if needed > width:
                wide.append((name, needed))

    assert wide == []


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.long)], ids=["script", "no script"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Browser, address: str, scheme: str, script: bool) -> None:
    """Text of cards and pages, muted text and text of figures stand out at least 4.5 to 1 from what is below."""
    selector = ".ibc p, .ibc li, .ibc td, .ibc th, .ibc a, .ibc h2, .ibc code, .ibc-muted, .ibc svg text"
    faint = []
    seen: set[str] = set()
    for name in ("card.html", "catalog/", "tasks/digits/"):
        # the context cannot measure without script: it is served, and the measure runs from outside
        settings = {"color_scheme": scheme, "java_script_enabled": True}
        for page in opened(browser, "about:blank", **settings):
            if not script:
                page.route("**/*.js", lambda route: route.abort())
            page.goto(address + name)
            measured = page.evaluate(CONTRAST, selector)
            seen |= {what.partition(":")[0] for _, what in measured}
            faint += [(name, round(ratio, 2), what) for ratio, what in measured if ratio < 4.5]

    assert faint == []
    assert {"P", "TD", "TH", "text"} <= seen


def test_the_theme_switch_switches_figures(browser: Browser, address: str) -> None:
    """The built-in theme's switch changes page and figures together, without an error, whatever the system says."""
    ink = "() => getComputedStyle(document.querySelector('.ibc svg text')).fill"
    errors: list[str] = []
    for page in opened(browser, "about:blank", color_scheme="light"):
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{address}catalog/")
        assert page.evaluate(ink) == "rgb(31, 35, 40)"
        page.locator("#theme-menu").click()
        page.locator('[data-bs-theme-value="dark"]').click()
        assert page.locator("html").get_attribute("data-bs-theme") == "dark"
        assert page.evaluate(ink) == "rgb(230, 237, 243)"
        page.locator("#theme-menu").click()
        page.locator('[data-bs-theme-value="light"]').click()
        assert page.evaluate(ink) == "rgb(31, 35, 40)"

    assert errors == []


def test_pages_ask_only_their_own_host(browser: Browser, address: str) -> None:
    """No page makes a request to another host, lacks a file, or has an error in its scripts."""
    foreign, missing, errors = [], [], []
    for page in opened(browser, "about:blank"):
        page.on("request", lambda request: foreign.append(request.url))
        page.on("response", lambda response: missing.append((response.url, response.status)))
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name in (*PAGES, "404.html"):
            page.goto(address + name)
            page.wait_for_load_state("networkidle")

    assert [url for url in foreign if not url.startswith((address, "data:"))] == []
    assert [url for url, status in missing if status >= 400 and not url.endswith("/favicon.ico")] == []
    assert errors == []


def test_formulas_are_rendered(browser: Browser, address: str) -> None:
    """MathML is laid out as formulas: a fraction is taller than a letter, and a display formula has its own line."""
    for page in opened(browser, f"{address}method/"):
        heights = page.evaluate(
            "() => ['mfrac', 'mi'].map(t => document.querySelector(t).getBoundingClientRect().height)"
        )
        block = page.locator(".ibc-formula math").first

        assert heights[0] > 1.5 * heights[1] > 0
        assert page.evaluate("document.querySelector('mfrac').namespaceURI") == "http://www.w3.org/1998/Math/MathML"
        assert block.evaluate("m => getComputedStyle(m).display") == "block math"


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_print_shows_everything(browser: Browser, address: str, scheme: str) -> None:
    """On paper nothing is cut or scrolls, nothing is faint on white, and every section of the card is there."""
    white = CONTRAST.replace("const below = background(e);", "const below = [255, 255, 255, 1];")
    for page in opened(browser, f"{address}card.html", color_scheme=scheme, viewport={"width": 700, "height": 900}):
        page.emulate_media(media="print", color_scheme=scheme)  # type: ignore[arg-type]
        cut = page.evaluate(
            "() => Array.from(document.querySelectorAll('.ibc *')).filter(e => e.scrollWidth > e.clientWidth + 1"
            " && ['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)).map(e => e.className)"
        )
        faint = [found for found in page.evaluate(white, ".ibc p, .ibc td, .ibc code, .ibc svg text") if found[0] < 4.5]
        hidden = page.evaluate(
            "() => Array.from(document.querySelectorAll('h2, tr, figure, img, pre')).filter("
            "e => !e.getClientRects().length).length"
        )

        assert cut == []
        assert faint == []
        assert hidden == 0
        assert page.locator("h2").count() == 11

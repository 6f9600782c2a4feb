"""The plugin on a site of somebody else: where its pages go, what it watches, and other entries beside it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import yaml
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import get_files

from ibc_report.website import build as website
from ibc_report.website.pages import NO_ADDRESS
from tests.support.markup import Page
from tests.support.site_building import DECLARED, broken_links, declared_site

ONE = {"ibc-report": {"reports": "reports"}}

TWO = {"ibc-report": {"reports": "more", "page": "other.md", "folder": "others"}}


def text(page: Path) -> str:
    """What a built page shows."""
    return Page(page.read_text(encoding="utf-8")).text


def loaded(path: Path) -> MkDocsConfig:
    """Read an mkdocs.yml, and start its plugins as mkdocs' commands do."""
    with path.open("rb") as stream:
        config = load_config(stream, site_dir=str(path.parent / "public"))
    config.plugins.on_startup(command="build", dirty=False)
    return config


class TestTwoEntries:
    """Two catalogs on one site."""

    def test_each_has_its_own_pages(self, tmp_path: Path) -> None:
        """Both have a page and a folder, the style is loaded once, and a quote is filled by the entry that has it."""
        quoting = "# Home\n\n[one](catalog.md) [two](other.md)\n\n{{ a: inputs.n }} and {{ b: inputs.dimension }}.\n"
        config = declared_site(tmp_path, [ONE, TWO], {"reports": ["a"], "more": ["b"]}, index=quoting)
        built = website.build(config, reports=None, output=tmp_path / "public", strict=True)

        assert built.tasks == 2
        assert broken_links(built.folder) == []
        home = (built.folder / "index.html").read_text(encoding="utf-8")
        assert home.count("assets/ibc-report.css") == home.count("assets/ibc-report.js") == 1
        assert "1,000,000 and 6." in text(built.folder / "index.html")
        assert (built.folder / "tasks" / "a" / "index.html").is_file()
        assert (built.folder / "others" / "b" / "index.html").is_file()

    def test_the_first_fills_what_both_have(self, tmp_path: Path) -> None:
        """Where two entries have a report of one name, the first of mkdocs.yml is quoted."""
        config = declared_site(
            tmp_path, [ONE, TWO], {"reports": ["a"], "more": ["a"]}, index="# Home\n\n{{ a: title }}"
        )
        other = (tmp_path / "more" / "a.json").read_text(encoding="utf-8").replace('"title": "a"', '"title": "second"')
        (tmp_path / "more" / "a.json").write_text(other, encoding="utf-8")
        built = website.build(config, reports=None, output=tmp_path / "public", strict=False)

        (paragraph,) = Page((built.folder / "index.html").read_text(encoding="utf-8")).all("p")[:1]
        assert paragraph.text == "a"

    def test_what_nobody_has_is_named_with_all_names(self, tmp_path: Path) -> None:
        """A quote of no report is refused with the names that any entry knows."""
        config = declared_site(
            tmp_path, [ONE, TWO], {"reports": ["a"], "more": ["b"]}, index="# Home\n\n{{ c: title }}"
        )

        with pytest.raises(Exception, match=r"index\.md: there is no report 'c' to quote from; Known: a, b"):
            website.build(config, reports=None, output=tmp_path / "public", strict=False)

    def test_different_styles_are_refused(self, tmp_path: Path) -> None:
        """Two style sheets of one name are one line, since every page would load only one of them."""
        (tmp_path / "looks").mkdir()
        (tmp_path / "looks" / "card.css").write_text("p { color: red }", encoding="utf-8")
        two = {"ibc-report": {**TWO["ibc-report"], "templates": "looks"}}
        config = declared_site(tmp_path, [ONE, two], {"reports": ["a"], "more": ["b"]})

        with pytest.raises(Exception, match=r"ibc-report\.css of this entry and of the one before it differ"):
            website.build(config, reports=None, output=tmp_path / "public", strict=False)


@pytest.mark.parametrize(
    ("there", "options", "message"),
    [
        ("catalog.md", {}, r"catalog\.md cannot be added, for docs_dir has catalog\.md"),
        (
            "catalog/index.md",
            {},
            r"catalog\.md cannot be added, for docs_dir has catalog/index\.md, which has that addr",
        ),
        ("tasks/a.md", {}, r"tasks/a\.md cannot be added, for docs_dir has tasks/a\.md"),
        ("assets/ibc-report.css", {}, r"ibc-report\.css cannot be added, for docs_dir has"),
        (None, {"page": "tasks/a.md"}, r"page tasks/a\.md is that of the task 'a' too; set another"),
        (None, {"page": "tasks/a/index.md"}, r"tasks/a\.md cannot be added, for plugin ibc-report made tasks/a/index"),
        (None, {"page": "../../x.md"}, r"'page' is \.\./\.\./x\.md, which is no path inside of docs_dir"),
        (None, {"folder": "/etc"}, "'folder' is /etc, which is no path inside of docs_dir"),
        (None, {"page": "catalog"}, r"'page' is catalog, which is no page; it has to end in \.md"),
    ],
)
def test_a_path_that_is_taken_is_refused(
    tmp_path: Path, there: str | None, options: dict[str, str], message: str
) -> None:
    """No generated file takes the place of another one, or leaves the website: one line names both and what to set."""
    config = declared_site(tmp_path, [{"ibc-report": {"reports": "reports", **options}}], {"reports": ["a"]})
    if there is not None:
        (tmp_path / "docs" / there).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / there).write_text("# There\n", encoding="utf-8")

    with pytest.raises(Exception, match=message) as caught:
        website.build(config, reports=None, output=tmp_path / "public", strict=False)

    assert "\n" not in str(caught.value)
    assert not (tmp_path / "public").exists()


class Server:
    """What `mkdocs serve` gives to plugins, as far as this one uses it."""

    def __init__(self) -> None:
        self.watched: list[str] = []

    def watch(self, path: str) -> None:
        """Take note of a path."""
        self.watched.append(path)


def test_serving_watches_what_pages_are_made_of(tmp_path: Path) -> None:
    """Catalog, reports, those measured elsewhere and templates are watched once, and so is what a catalog adds."""
    tasks: dict[str, Any] = {"tasks": [{"name": "a", "declared": DECLARED}]}
    path = declared_site(
        tmp_path, [{"ibc-report": {"catalog": "catalog.yml", "templates": "looks"}}], {"reports": ["a"], "far": ["b"]}
    )
    (tmp_path / "looks").mkdir()
    (tmp_path / "catalog.yml").write_text(yaml.safe_dump(tasks), encoding="utf-8")
    config = loaded(path)
    mkdocs_build(config)
    server: Any = Server()
    config.plugins.on_serve(server, config=config, builder=mkdocs_build)

    names = [Path(watched).relative_to(tmp_path).as_posix() for watched in server.watched]
    assert sorted(names) == ["catalog.yml", "looks", "reports"]

    (tmp_path / "catalog.yml").write_text(yaml.safe_dump({**tasks, "saved": ["far/b.json"]}), encoding="utf-8")
    mkdocs_build(config)
    mkdocs_build(config)

    assert [Path(watched).name for watched in server.watched[3:]] == ["b.json"]


@pytest.mark.parametrize(("address", "times"), [(None, 1), ("https://example.org/x/", 0)])
def test_an_empty_sitemap_is_said_once(
    tmp_path: Path, address: str | None, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Without site_url one line says that the sitemap is empty and what to set, however many entries and builds."""
    path = declared_site(tmp_path, [ONE, TWO], {"reports": ["a"], "more": ["b"]}, site_url=address)
    config = loaded(path)
    with caplog.at_level(logging.INFO):
        mkdocs_build(config)
        mkdocs_build(config)

    assert [record.getMessage() for record in caplog.records].count(NO_ADDRESS) == times
    assert ((tmp_path / "public" / "sitemap.xml").read_text(encoding="utf-8").count("<loc>") > 0) == (times == 0)


def test_a_site_without_an_address_says_so_when_built(tmp_path: Path) -> None:
    """The build carries the line for the command to print; it is no warning, which a strict build would fail on."""
    path = declared_site(tmp_path, [ONE], {"reports": ["a"]})

    built = website.build(path, reports=None, output=tmp_path / "public", strict=True)
    assert (built.notes, built.warnings) == ((NO_ADDRESS,), ())
    path.write_text(path.read_text(encoding="utf-8") + "site_url: https://example.org/\n", encoding="utf-8")
    assert website.build(path, reports=None, output=tmp_path / "public", strict=True).notes == ()


def test_neither_catalog_nor_reports(tmp_path: Path) -> None:
    """An entry that names no reports is refused before anything is built."""
    path = declared_site(tmp_path, ["ibc-report"], {})
    config = loaded(path)

    with pytest.raises(PluginError, match="set 'catalog'"):
        config.plugins.on_config(config)


def test_a_page_has_the_history_of_its_report(tmp_path: Path) -> None:
    """What asks a generated page for its source, as feeds do, gets the report, and the catalog page its folder."""
    path = declared_site(tmp_path, [ONE], {"reports": ["a"]})
    config = loaded(path)
    config = config.plugins.on_config(config)
    files = config.plugins.on_files(get_files(config), config=config)

    sources = {uri: file.abs_src_path for uri, file in files.src_uris.items()}
    assert sources["tasks/a.md"] == str(tmp_path / "reports" / "a.json")
    assert sources["catalog.md"] == str(tmp_path / "reports")

"""The plugin beside others that sites use, in either order: sites build strictly, and no text of a report is run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ibc_report.common.errors import DataError
from ibc_report.website import build as website
from tests.support.markup import Page
from tests.support.site_building import CHECKOUT, broken_links, declared_site

TITLE = '{{ 7 * 191 }} {% for x in "ab" %}{{ x }}{% endfor %} {# gone #} {{ nobody.knows.it }} {% raw <b> [[ 7 ]]'
"""What Jinja would run, print nothing of, stumble over, or take for the start of a block."""

OURS = {"ibc-report": {"reports": "reports"}}

INDEX = """# About {{ a: title }}

[all](catalog.md)

{{ a: title }}: {{ a: inputs.n }}.

{{ conventions }}

\\(x_1\\)
"""


def site(folder: Path, *plugins: Any, ours_first: bool, index: str = INDEX, **changes: Any) -> Path:
    """Write a site with the plugin before or after others; gives its mkdocs.yml."""
    ordered = ["search", OURS, *plugins] if ours_first else ["search", *plugins, OURS]
    given = {"site_url": "https://example.org/", **changes}
    return declared_site(folder, ordered, {"reports": ["a"]}, index=index, title=TITLE, **given)


def built(config: Path) -> Path:
    """Build strictly; gives the folder."""
    return website.build(config, reports=None, output=config.parent / "public", strict=True).folder


def committed(folder: Path) -> None:
    """Make a folder a git repository with one commit."""
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "All"]):
        who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(["git", "-C", str(folder), *who, *command], check=True)


def assert_text(folder: Path, *, in_navigation: bool = True) -> None:
    """Title, description, headings and quotes are printed as the report has them, on every page."""
    for name in ("index.html", "catalog/index.html", "tasks/a/index.html"):
        page = Page((folder / name).read_text(encoding="utf-8"))
        assert page.text.count(TITLE) >= 1 + in_navigation, (name, page.text[:400])
        assert "1337" not in page.text
    task = Page((folder / "tasks" / "a" / "index.html").read_text(encoding="utf-8"))
    assert task.all("h1")[0].text == TITLE
    assert task.all("title")[0].text == f"{TITLE} - Test"
    assert [link for link in broken_links(folder) if "https://example.org/" not in link] == []


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize(
    "settings",
    [
        {"on_undefined": "strict"},
        {"on_undefined": "strict", "j2_variable_start_string": "[[", "j2_variable_end_string": "]]"},
    ],
    ids=["double braces", "other brackets"],
)
def test_macros(tmp_path: Path, settings: dict[str, str], ours_first: bool) -> None:
    """Beside mkdocs-macros a page uses both: quotes and tables are ours, macros are its own, and reports are text."""
    pytest.importorskip("mkdocs_macros")
    start, end = settings.get("j2_variable_start_string", "{{"), settings.get("j2_variable_end_string", "}}")
    macros = {"macros": {"on_error_fail": True, **settings}}
    index = f"{INDEX}\nBuilt for {start} config.site_name {end} with {start} 6 * 7 {end}.\n"
    folder = built(site(tmp_path, macros, ours_first=ours_first, index=index))

    assert_text(folder)
    home = Page((folder / "index.html").read_text(encoding="utf-8"))
    assert "Built for Test with 42." in home.text
    assert f"{TITLE}: 1,000,000." in home.text
    assert [element["display"] for element in home.all("math")] == ["inline"]


def test_a_macro_that_fails_is_one_line(tmp_path: Path) -> None:
    """Where mkdocs-macros ends the process, the build fails with its reason, and the old site stays."""
    pytest.importorskip("mkdocs_macros")
    config = site(tmp_path, {"macros": {"on_error_fail": True}}, ours_first=True)
    folder = built(config)
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n{% nonsense %}\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"the website cannot be built: .*nonsense") as caught:
        built(config)

    assert "\n" not in str(caught.value)
    assert_text(folder)


@pytest.mark.parametrize("ours_first", [True, False])
def test_redirects(tmp_path: Path, ours_first: bool) -> None:
    """mkdocs-redirects finds generated pages as targets."""
    pytest.importorskip("mkdocs_redirects")
    maps = {"old.md": "catalog.md", "former/a.md": "tasks/a.md"}
    folder = built(site(tmp_path, {"redirects": {"redirect_maps": maps}}, ours_first=ours_first))

    assert_text(folder)
    assert "../../tasks/a/" in (folder / "former" / "a" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("ours_first", [True, False])
def test_awesome_nav(tmp_path: Path, ours_first: bool) -> None:
    """awesome-nav arranges generated pages as any others."""
    pytest.importorskip("mkdocs_awesome_nav")
    config = site(tmp_path, "awesome-nav", ours_first=ours_first)
    (tmp_path / "docs" / ".nav.yml").write_text(
        "nav:\n  - index.md\n  - Everything: catalog.md\n  - Single ones: tasks\n", encoding="utf-8"
    )
    folder = built(config)

    assert_text(folder)
    assert "Everything" in Page((folder / "index.html").read_text(encoding="utf-8")).text


@pytest.mark.parametrize("ours_first", [True, False])
def test_rss(tmp_path: Path, ours_first: bool) -> None:
    """The feed of mkdocs-rss has generated pages as it has any others."""
    pytest.importorskip("mkdocs_rss_plugin")
    config = site(tmp_path, {"rss": {}}, ours_first=ours_first, site_description="All tasks")
    committed(tmp_path)
    folder = built(config)

    assert_text(folder)
    feed = ElementTree.parse(folder / "feed_rss_created.xml")
    links = {str(item.findtext("link")) for item in feed.iter("item")}
    assert {f"https://example.org/{path}" for path in ("", "catalog/", "tasks/a/")} <= links


@pytest.mark.parametrize("ours_first", [True, False])
def test_git_revision_date(tmp_path: Path, ours_first: bool) -> None:
    """git-revision-date-localized dates the pages of others and leaves generated ones alone."""
    pytest.importorskip("mkdocs_git_revision_date_localized_plugin")
    config = site(tmp_path, {"git-revision-date-localized": {"type": "iso_date"}}, ours_first=ours_first)
    committed(tmp_path)

    assert_text(built(config))


@pytest.mark.long
@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("structure", ["suffix", "folder"])
def test_i18n(tmp_path: Path, structure: str, ours_first: bool) -> None:
    """mkdocs-static-i18n gives each language the generated pages, with its own navigation and links that hold."""
    pytest.importorskip("mkdocs_static_i18n")
    languages = [{"locale": "en", "default": True, "name": "English"}, {"locale": "fr", "name": "Français"}]
    config = site(tmp_path, {"i18n": {"docs_structure": structure, "languages": languages}}, ours_first=ours_first)
    docs = tmp_path / "docs"
    if structure == "folder":
        (docs / "en").mkdir()
        (docs / "fr").mkdir()
        (docs / "fr" / "index.md").write_text(INDEX.replace("About", "Sur"), encoding="utf-8")
        (docs / "index.md").rename(docs / "en" / "index.md")
    else:
        (docs / "index.fr.md").write_text(INDEX.replace("About", "Sur"), encoding="utf-8")
    folder = built(config)

    # by folders it arranges the pages of its folders alone, and the others want a nav
    assert_text(folder, in_navigation=structure == "suffix")
    french = Page((folder / "fr" / "tasks" / "a" / "index.html").read_text(encoding="utf-8"))
    assert french.all("h1")[0].text == TITLE
    assert (folder / "fr" / "tasks" / "a.json").is_file()
    assert Page((folder / "fr" / "index.html").read_text(encoding="utf-8")).all("h1")[0].text == f"Sur {TITLE}"


@pytest.mark.long
def test_mike(tmp_path: Path) -> None:
    """Mike puts a version of the site, with all generated pages, onto its branch."""
    pytest.importorskip("mike")
    config = site(tmp_path, "mike", ours_first=True)
    committed(tmp_path)
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Somebody"), ("EMAIL", "somebody@example.org"))
    }
    environment = {
        **os.environ,
        **who,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(CHECKOUT),
    }
    subprocess.run(
        [sys.executable, "-c", "from mike.driver import main; main()", "deploy", "-F", str(config), "1.0", "latest"],
        check=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
    )
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-tree", "-r", "--name-only", "gh-pages"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()

    assert {"versions.json", "1.0/catalog/index.html", "1.0/tasks/a/index.html", "1.0/tasks/a.json"} <= set(listed)


@pytest.mark.long
def test_serving_builds_again_when_a_report_changes(tmp_path: Path) -> None:
    """`mkdocs serve` shows a changed report without being started again."""
    config = site(tmp_path, ours_first=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "-m", "mkdocs", "serve", "-f", str(config), "-a", address]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, env={**os.environ, "PYTHONPATH": str(CHECKOUT)})
    try:
        assert shown(f"http://{address}/catalog/", "nobody.knows.it"), (tmp_path / "log").read_text(encoding="utf-8")
        report = tmp_path / "reports" / "a.json"
        changed = {**json.loads(report.read_text(encoding="utf-8")), "title": "Another name"}
        report.write_text(json.dumps(changed), encoding="utf-8")
        assert shown(f"http://{address}/catalog/", "Another name"), (tmp_path / "log").read_text(encoding="utf-8")
    finally:
        process.terminate()
        process.wait()


def shown(address: str, text: str) -> bool:
    """Whether a page shows a text within a minute."""
    for _ in range(120):
        with suppress(OSError), urllib.request.urlopen(address) as answer:
            if text in answer.read().decode():
                return True
        time.sleep(0.5)
    return False

"""Websites for tests: the example in a folder of its own, built once for all workers of a test run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import yaml

import ibc_report
from ibc_report.data.task import Task
from ibc_report.pipeline import catalog as catalogs
from ibc_report.website import build
from tests.support.markup import Page
from tests.support.once import Once

CHECKOUT = Path(__file__).resolve().parents[2]


def lay_out(folder: Path, only: Sequence[str] = (), **changes: Any) -> Path:
    """Copy the example's sources and measure its catalog; gives the path of its mkdocs.yml.

    `only` keeps these tasks, and `changes` are keys of the mkdocs.yml.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(CHECKOUT / "site" / "docs", folder / "site" / "docs")
    shutil.copytree(CHECKOUT / "site" / "saved", folder / "site" / "saved")
    catalog = yaml.safe_load((CHECKOUT / "site" / "catalog.yml").read_text(encoding="utf-8"))
    if only:
        catalog["tasks"] = [task for task in catalog["tasks"] if task["name"] in only]
        del catalog["saved"]
    path = folder / "site" / "catalog.yml"
    path.write_text(yaml.safe_dump(catalog, allow_unicode=True), encoding="utf-8")
    outcomes = list(catalogs.build(path))
    assert {outcome.status for outcome in outcomes} == {"measured"}, outcomes
    config = yaml.safe_load((CHECKOUT / "mkdocs.yml").read_text(encoding="utf-8"))
    if only:
        # the worked examples quote from tasks that may not be there
        shutil.rmtree(folder / "site" / "docs" / "examples")
        config["nav"] = [entry for entry in config["nav"] if "Reading a card" not in entry]
    config |= changes
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    return folder / "mkdocs.yml"


def example(once: Once) -> Path:
    """The whole example, built strictly; gives the folder of the website."""
    folder = once.made(
        "example", lambda folder: build.build(lay_out(folder), reports=None, output=folder / "public", strict=True)
    )
    return folder / "public"


def pages_of(site: Path) -> dict[Path, Page]:
    """All pages of a website by their files."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def broken_links(site: Path) -> list[str]:
    """Links of a website that lead to no file, to no id, or away from it without being a link of text."""
    pages = pages_of(site)
    broken = []
    for path, page in pages.items():
        for tag, address in page.addresses():
            parts = urlsplit(address)
            if parts.scheme == "data" or (parts.scheme in ("http", "https") and tag == "a"):
                continue
            target, fragment = urldefrag(address)
            if parts.scheme or parts.netloc:
                broken.append(f"{path.relative_to(site)}: {tag} {address} is elsewhere")
                continue
            name = unquote(urlsplit(target).path)
            file = path if not name else site / name.lstrip("/") if name.startswith("/") else path.parent / name
            file = file.resolve()
            if file.is_dir():
                file /= "index.html"
            if not file.is_file():
                broken.append(f"{path.relative_to(site)}: {tag} {address} leads nowhere")
            elif fragment and file.suffix == ".html" and unquote(fragment) not in pages[file].ids:
                broken.append(f"{path.relative_to(site)}: {tag} {address} has no such id")
    return broken


DECLARED = {"family": "control", "n": 1e6, "dimension": 6, "actions": 2, "resolution": 0.001, "target_error": 0.001}


def declared_site(
    folder: Path,
    plugins: Sequence[Any],
    reports: Mapping[str, Sequence[str]],
    *,
    index: str = "# Home\n",
    title: str | None = None,
    **changes: Any,
) -> Path:
    """Write a site of declared tasks; gives the path of its mkdocs.yml.

    `reports` has the names of the reports of each folder, `title` the title of all where it is not their name, and
    `changes` are further keys of the mkdocs.yml.
    """
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text(index, encoding="utf-8")
    for place, names in reports.items():
        (folder / place).mkdir()
        for name in names:
            shown = title or name
            task = Task.model_validate({"name": name, "title": shown, "description": title, "declared": DECLARED})
            (folder / place / f"{name}.json").write_text(ibc_report.measure(task).to_json(), encoding="utf-8")
    config = {"site_name": "Test", "plugins": list(plugins), "theme": {"name": "mkdocs", "highlightjs": False}}
    config["markdown_extensions"] = ["tables", "attr_list"]
    path = folder / "mkdocs.yml"
    path.write_text(yaml.safe_dump(config | {k: v for k, v in changes.items() if v is not None}), encoding="utf-8")
    return path

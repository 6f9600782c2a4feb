"""The mkdocs plugin: reports become pages, and prose quotes their numbers. What they say comes from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url

from ibc_report.common import escaping, wording
from ibc_report.common.errors import DataError, IbcReportError, choices
from ibc_report.data.task import load_catalog
from ibc_report.rendering.cards import CatalogPage
from ibc_report.report.catalog import published_reports, reports_folder, saved_reports
from ibc_report.report.paths import find
from ibc_report.report.schema.document import ReportDocument
from ibc_report.website import pages
from ibc_report.website.pages import SitePaths

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

__all__ = ["IbcReportConfig", "IbcReportPlugin", "with_quotes"]

STYLE = "assets/ibc-report.css"

SCRIPT = "assets/ibc-report.js"


class IbcReportConfig(base.Config):  # type: ignore[no-untyped-call]
    """Options of the plugin, paths relative to mkdocs.yml."""

    catalog = option.Optional(option.Type(str))
    """A catalog.yml: its title, description and tasks, with their reports in reports/ beside it."""

    reports = option.Optional(option.Type(str))
    """A folder of reports, where there is no catalog or they lie elsewhere."""

    templates = option.Optional(option.Type(str))
    """A folder whose templates stand in for the built-in ones."""

    page = option.Type(str, default="catalog.md")
    """The page with the table of all tasks."""

    folder = option.Type(str, default="tasks")
    """The folder of the pages of tasks."""


class IbcReportPlugin(BasePlugin[IbcReportConfig]):  # type: ignore[no-untyped-call]
    """Turn a folder of reports into a catalog page and a page for each task."""

    tasks = 0
    """Pages of tasks in the last build."""

    missing: tuple[str, ...] = ()
    """Tasks of the catalog that have no report, once the files are there."""

    reports: Mapping[str, ReportDocument] = MappingProxyType({})
    """By name, once the files are there: pages quote from them."""

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Have the pages load the style sheet and the script of cards."""
        if not self.config.catalog and not self.config.reports:
            raise PluginError("plugin ibc-report: set 'catalog' (a catalog.yml) or 'reports' (a folder) in mkdocs.yml")
        config.extra_css.insert(0, STYLE)
        config.extra_javascript.append(SCRIPT)
        return config

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the generated pages."""
        root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
        try:
            generated = self._generate(root, config)
        except IbcReportError as error:
            raise PluginError(f"plugin ibc-report: {error}") from error
        for path, content in generated.items():
            files.append(File.generated(config, path, content=content))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Fill in reference tables, and turn formulas into MathML."""
        if page.file.generated_by is not None:
            return markdown
        try:
            return pages.with_formulas(pages.with_references(with_quotes(markdown, self.reports, self.missing)))
        except IbcReportError as error:
            raise PluginError(f"plugin ibc-report: {page.file.src_uri}: {error}") from error

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Let wide tables scroll by themselves."""
        return html if page.file.generated_by is not None else pages.with_scrolling_tables(html)

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Let the theme's switch of the colour scheme work."""
        return pages.with_working_switch(output)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
        """Let the switch work on pages that the theme makes by itself, as 404.html."""
        return pages.with_working_switch(output_content)

    def _generate(self, root: Path, config: MkDocsConfig) -> dict[str, str]:
        catalog = self._catalog(root)
        self.missing = catalog.missing
        self.tasks = len(catalog.reports)
        self.reports = {report.name: report for report in catalog.reports}
        page = self.config.page
        return pages.generate(
            catalog,
            SitePaths(page=page, folder=self.config.folder, style=STYLE, script=SCRIPT),
            link=lambda path: get_relative_url(_url(path, config), _url(page, config)),
            templates=root / self.config.templates if self.config.templates else None,
        )

    def _catalog(self, root: Path) -> CatalogPage:
        """The reports, of a catalog or a folder of them, and what the page says of them."""
        folder = root / self.config.reports if self.config.reports else None
        if self.config.catalog:
            path = root / self.config.catalog
            catalog = load_catalog(path)
            reports, missing = published_reports(path, folder)
            folder = folder or reports_folder(path)
            page = CatalogPage(tuple(reports), catalog.title, catalog.description, tuple(missing), catalog.rank)
            hint = f"ibc-report build {self.config.catalog}"
        else:
            assert folder is not None
            page = CatalogPage(tuple(saved_reports(folder)), "Difficulty catalog")
            hint = "ibc-report card"
        if not page.reports:
            raise PluginError(f"plugin ibc-report: {folder} has no reports; run '{hint}' first")
        return page


def _url(path: str, config: MkDocsConfig) -> str:
    return File.generated(config, path, content="").url


_QUOTE = re.compile(r"\{\{ *([a-z0-9][a-z0-9._-]*): *([^{}\n]+?) *\}\}")


def with_quotes(markdown: str, reports: Mapping[str, ReportDocument], missing: Collection[str] = ()) -> str:
    """Fill in what a page quotes from reports, as in {{ digits: numbers[margin].text }}.

    Parameters
    ----------
    missing : collection of str
        Names of tasks that have no report yet; a quote of one is an ellipsis.

    Returns
    -------
    str
        Text from a report is escaped; powers of ten are raised.

    Raises
    ------
    DataError
        If a report is not there, or has nothing at that path.
    UsageError
        If no report has such a path.
    """

    def quoted(match: re.Match[str]) -> str:
        name, path = match.groups()
        return "…" if name in missing else _quoted(name, path, reports)

    return _QUOTE.sub(quoted, markdown)


def _quoted(name: str, path: str, reports: Mapping[str, ReportDocument]) -> str:
    if name not in reports:
        raise DataError(f"there is no report '{name}' to quote from; {choices(name, reports)}")
    found = find(ReportDocument, json.loads(reports[name].to_json()), path)
    if found.value is None:
        raise DataError(f"report '{name}': {found.reason}")
    text = wording.number(found.value) if isinstance(found.value, float | int) else str(found.value)
    return escaping.raised(escaping.escape(text))

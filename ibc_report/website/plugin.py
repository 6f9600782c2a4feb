"""The mkdocs plugin: reports become pages, and prose quotes their numbers. What they say comes from elsewhere."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mkdocs.config import base
from mkdocs.config import config_options as option
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.utils import get_relative_url

from ibc_report.common.errors import IbcReportError, UsageError
from ibc_report.data.task import load_catalog
from ibc_report.rendering.cards import CatalogPage
from ibc_report.report.catalog import published_reports, reports_folder, saved_reports
from ibc_report.report.schema.document import ReportDocument
from ibc_report.website import pages
from ibc_report.website.pages import NO_ADDRESS, SitePaths
from ibc_report.website.quotes import with_quotes

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

__all__ = ["IbcReportConfig", "IbcReportPlugin"]

STYLE = "assets/ibc-report.css"

SCRIPT = "assets/ibc-report.js"

SHARED = (STYLE, SCRIPT, pages.SCHEMA_FILE)
"""Files that all entries of the plugin have in common: every page loads the first two."""

FIRST = 100
"""Pages are there before plugins that look for them, and filled in before plugins that run them as templates."""

LAST = -150
"""Beside mkdocs-static-i18n, which at -100 keeps only the pages of docs_dir, they are added after it."""


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

    supports_multiple_instances = True

    tasks = 0
    """Pages of tasks in the last build."""

    missing: tuple[str, ...] = ()
    """Tasks of the catalog that have no report, once the files are there."""

    reports: Mapping[str, ReportDocument] = MappingProxyType({})
    """By name, once the files are there: pages quote from them."""

    server: Any = None
    """What `mkdocs serve` watches files with."""

    watched: frozenset[Path] = frozenset()
    """Files and folders that it watches for this entry."""

    said = False
    """Whether the line on the sitemap was said."""

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Begin anew: mkdocs keeps an object with this method for every build of a process.

        While it serves, that lets the object watch what a catalog adds.
        """
        self.server, self.watched, self.said = None, frozenset(), False

    def on_serve(self, server: Any, *, config: MkDocsConfig, builder: Any) -> Any:
        """Build again when a report, the catalog or a template changes."""
        self.server = server
        self._watch(_root(config))
        return server

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Have the pages load the style sheet and the script of cards."""
        if not self.config.catalog and not self.config.reports:
            raise PluginError("plugin ibc-report: set 'catalog' (a catalog.yml) or 'reports' (a folder) in mkdocs.yml")
        if STYLE not in config.extra_css:
            config.extra_css.insert(0, STYLE)
        if SCRIPT not in config.extra_javascript:
            config.extra_javascript.append(SCRIPT)
        _refuse_paths(self.config.page, self.config.folder)
        # other languages of mkdocs-static-i18n are built with this object once more
        if not (config.site_url or self.said) and _entries(config)[0] is self:
            self.said = True
            _log.info(NO_ADDRESS)
        return config

    @event_priority(FIRST)
    def _on_files_first(self, files: Files, *, config: MkDocsConfig) -> Files:
        return files if "i18n" in config.plugins else self._added(files, config)

    @event_priority(LAST)
    def _on_files_last(self, files: Files, *, config: MkDocsConfig) -> Files:
        return self._added(files, config) if "i18n" in config.plugins else files

    on_files = CombinedEvent(_on_files_first, _on_files_last)
    """Add the generated pages."""

    def _added(self, files: Files, config: MkDocsConfig) -> Files:
        root = _root(config)
        language = _language(config)
        try:
            generated = self._generate(root, config)
            places = {file.dest_uri: file for file in files if file.inclusion is not InclusionLevel.EXCLUDED}
            for path, content in generated.items():
                file = File.generated(config, path, content=content)
                if language and path not in SHARED:
                    file.dest_uri = f"{language}/{file.dest_uri}"
                if _is_free(file, content, files.src_uris.get(path) or places.get(file.dest_uri)):
                    # what asks a file for its history gets that of the report
                    file.abs_src_path = str(self._source(root, file))
                    files.append(file)
                    places[file.dest_uri] = file
        except IbcReportError as error:
            raise PluginError(f"plugin ibc-report: {error}") from error
        if self.server is not None:
            self._watch(root)
        return files

    @event_priority(FIRST)
    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Fill in reference tables, and turn formulas into MathML."""
        if page.file.generated_by is not None:
            if page.file.generated_by in _names(config):
                # mkdocs-macros leaves such a page and its title as they are
                page.meta["render_macros"] = False
            return markdown
        others = [entry for entry in _entries(config) if entry is not self]
        measured = {name for entry in others for name in entry.reports}
        known = measured.union(*(entry.missing for entry in others))
        missing = [name for name in self.missing if name not in measured]
        try:
            quoted = with_quotes(markdown, self.reports, missing, others=known)
            # mkdocs reads a title from what the page has before plugins change it, and mkdocs-macros runs that too
            page.markdown = pages.with_formulas(pages.with_references(quoted))
            return page.markdown
        except IbcReportError as error:
            raise PluginError(f"plugin ibc-report: {page.file.src_uri}: {error}") from error

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Let wide tables scroll by themselves."""
        if page.file.generated_by is not None or _entries(config)[0] is not self:
            return html
        return pages.with_scrolling_tables(html)

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
        folder = self._folder(root)
        if self.config.catalog:
            path = root / self.config.catalog
            catalog = load_catalog(path)
            reports, missing = published_reports(path, folder)
            page = CatalogPage(tuple(reports), catalog.title, catalog.description, tuple(missing), catalog.rank)
            hint = f"ibc-report build {self.config.catalog}"
        else:
            page = CatalogPage(tuple(saved_reports(folder)), "Difficulty catalog")
            hint = "ibc-report card"
        if not page.reports:
            raise PluginError(f"plugin ibc-report: {folder} has no reports; run '{hint}' first")
        return page

    def _folder(self, root: Path) -> Path:
        """Where the reports lie."""
        if self.config.reports:
            return root / self.config.reports
        return reports_folder(root / str(self.config.catalog))

    def _source(self, root: Path, file: File) -> Path:
        """What a generated file was made of: its report, or else the catalog or the folder of all."""
        report = self._folder(root) / f"{PurePosixPath(file.src_uri).stem}.json"
        own = PurePosixPath(file.src_uri).parent == PurePosixPath(self.config.folder)
        if own and report.is_file():
            return report
        return root / self.config.catalog if self.config.catalog else self._folder(root)

    def _watch(self, root: Path) -> None:
        paths = [self._folder(root)]
        if self.config.catalog:
            catalog = root / self.config.catalog
            paths += [catalog, *(catalog.parent / saved for saved in load_catalog(catalog).saved)]
        if self.config.templates:
            paths.append(root / self.config.templates)
        for path in paths:
            if path.exists() and path not in self.watched:
                self.watched |= {path}
                self.server.watch(str(path))


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path or "mkdocs.yml").resolve().parent


def _url(path: str, config: MkDocsConfig) -> str:
    return File.generated(config, path, content="").url


_log = logging.getLogger("mkdocs.plugins.ibc_report")


def _language(config: MkDocsConfig) -> str:
    """The folder of the language that mkdocs-static-i18n builds just now; empty for its default one."""
    plugin = config.plugins.get("i18n")
    current = getattr(plugin, "current_language", None)
    return "" if current in (None, getattr(plugin, "default_language", None)) else str(current)


def _entries(config: MkDocsConfig) -> list[IbcReportPlugin]:
    """All entries of this plugin, in the order of mkdocs.yml."""
    return [plugin for plugin in config.plugins.values() if isinstance(plugin, IbcReportPlugin)]


def _names(config: MkDocsConfig) -> list[str]:
    return [name for name, plugin in config.plugins.items() if isinstance(plugin, IbcReportPlugin)]


def _refuse_paths(page: str, folder: str) -> None:
    """Keep what is generated inside of the website, and the page a page."""
    for key, path in (("page", page), ("folder", folder)):
        if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
            raise PluginError(
                f"plugin ibc-report: '{key}' is {path}, which is no path inside of docs_dir; give one as in tasks/all"
            )
    if not page.endswith(".md"):
        raise PluginError(f"plugin ibc-report: 'page' is {page}, which is no page; it has to end in .md")


def _is_free(file: File, content: str, there: File | None) -> bool:
    """Whether a file is to be added; not where another entry added the same one for all.

    Raises
    ------
    UsageError
        If another file of the website has its place.
    """
    if there is None:
        return True
    path = file.src_uri
    if path in SHARED and there.generated_by is not None:
        if there.content_string == content:
            return False
        raise UsageError(
            f"{path} of this entry and of the one before it differ, and every page loads it; "
            "give both entries the same 'templates'"
        )
    by = f"plugin {there.generated_by} made" if there.generated_by else "docs_dir has"
    raise UsageError(
        f"{path} cannot be added, for {by} {there.src_uri}, which has that address; set another 'page' or 'folder' "
        "for this entry, or rename that file"
    )

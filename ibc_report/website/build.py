"""Build the website: mkdocs with the project's configuration, or a plain one where there is none."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibc_report.common.errors import DataError, UsageError
from ibc_report.common.folders import rebuilt, repair
from ibc_report.common.leftovers import sweep, temporary_folder
from ibc_report.report.catalog import saved_reports
from ibc_report.website.pages import NO_ADDRESS

__all__ = ["Built", "build"]

DEFAULT_OUTPUT = Path("build/site")

SOURCES = "ibc-report-site"

MARKER = "sitemap.xml"
"""A file that every website of mkdocs has, by which a former build is known."""


@dataclass(frozen=True, slots=True)
class Built:
    """A built website.

    Parameters
    ----------
    tasks : int
        Pages of tasks.
    missing : tuple of str
        Tasks of the catalog without a report.
    notes : tuple of str
        What there is to know besides, a line each.
    """

    folder: Path
    tasks: int
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def build(config: Path, *, reports: Path | None, output: Path | None, strict: bool) -> Built:
    """Build the website.

    Parameters
    ----------
    config : Path
        An mkdocs.yml; where it does not exist, a plain site of the reports is built.
    reports : Path or None
        Folder of reports for the plain site; "reports" by default.
    output : Path or None
        Folder to build into. The site is built beside it and put in its place once it is whole; what begins with a
        dot in it stays.
    strict : bool
        Fail on a warning.

    Raises
    ------
    UsageError
        If there is neither a configuration nor a report, or the output folder holds something else.
    DataError
        If mkdocs fails.
    """
    if config.is_file():
        if reports is not None:
            raise UsageError(f"{config} says where its reports are; leave --reports out, or set 'reports' there")
        settings: dict[str, Any] = {"strict": strict}
        if output is not None:
            settings["site_dir"] = str(output.resolve())
        with config.open("rb") as stream:
            return _run(settings, stream)
    if config != Path("mkdocs.yml"):
        raise UsageError(f"{config} does not exist; give the path of an mkdocs.yml")
    catalog = Path("catalog.yml")
    if reports is None and catalog.is_file():
        content = {"catalog": str(catalog.resolve())}
    else:
        folder = reports or Path("reports")
        content = {"reports": str(folder.resolve())}
        if not saved_reports(folder):
            raise UsageError(
                f"there is no mkdocs.yml here and no report in {folder}; run 'ibc-report card SOURCE' first"
            )
    with _sources() as sources:
        (sources / "docs").mkdir()
        settings = {
            "site_name": "Difficulty catalog",
            "site_dir": str((output or DEFAULT_OUTPUT).resolve()),
            "theme": {
                "name": "mkdocs",
                "color_mode": "auto",
                "user_color_mode_toggle": True,
                "highlightjs": False,
            },
            "plugins": [{"ibc-report": {**content, "page": "index.md"}}],
            "not_in_nav": "/tasks/",
            "strict": strict,
        }
        # mkdocs reads a file in any case, and looks for the pages beside it
        plain = sources / "mkdocs.yml"
        plain.write_text(json.dumps(settings), encoding="utf-8")
        with plain.open("rb") as stream:
            return _run({}, stream)


@contextmanager
def _sources() -> Iterator[Path]:
    """A temporary folder, swept by the next run where this one is killed."""
    place = Path(tempfile.gettempdir())
    sweep(place, SOURCES)
    descriptor, folder = temporary_folder(place, SOURCES)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _run(settings: dict[str, Any], stream: Any) -> Built:
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, MkDocsException

    with _log() as warnings:
        try:
            config = load_config(config_file=stream, **settings)
            folder = Path(config["site_dir"])
            repair(folder)
            _refuse_foreign(folder)
            with rebuilt(folder, marker=MARKER, keep_hidden=True) as fresh:
                config["site_dir"] = str(fresh)
                # some plugins prepare what they need when the command starts
                config.plugins.on_startup(command="build", dirty=False)
                try:
                    mkdocs_build(config)
                finally:
                    config.plugins.on_shutdown()
        # a plugin may end the process, as mkdocs-macros does with on_error_fail
        except (MkDocsException, Abort, SystemExit) as error:
            said = "; ".join(" ".join(warning.split()) for warning in warnings) or " ".join(str(error).split())
            raise DataError(f"the website cannot be built: {said}") from error
        except OSError as error:
            raise DataError(f"the website cannot be built into {folder}: {error.strerror or error}") from error
    plugins = config.plugins.values()
    missing = tuple(name for plugin in plugins for name in getattr(plugin, "missing", ()))
    tasks = sum(getattr(plugin, "tasks", 0) for plugin in plugins)
    # a strict build fails on a warning, and a site without an address is none
    notes = () if config["site_url"] else (NO_ADDRESS,)
    return Built(folder, tasks, missing, tuple(warnings), notes)


def _refuse_foreign(folder: Path) -> None:
    """Spare what is no former build."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, and the website is a folder; choose another --output")
    shown = folder.is_dir() and any(not entry.name.startswith(".") for entry in folder.iterdir())
    if shown and not (folder / MARKER).is_file():
        raise UsageError(
            f"{folder} holds files that are no built website, and building would delete them; choose another --output"
        )


@contextmanager
def _log() -> Iterator[list[str]]:
    """Collect what mkdocs warns of."""
    warnings: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warnings.append(record.getMessage())

    collect = Collect(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    # without this, mkdocs's messages would also reach the root logger's last resort, standard error
    propagate, logger.propagate = logger.propagate, False
    logger.addHandler(collect)
    try:
        yield warnings
    finally:
        logger.removeHandler(collect)
        logger.propagate = propagate

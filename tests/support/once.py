"""What is costly to make and is only read: made once for all workers of a test run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import ibc_report
from ibc_report import Report

__all__ = ["Once"]


@dataclass(frozen=True, slots=True)
class Once:
    """A folder that the workers of one run share."""

    folder: Path
    _reports: dict[str, Report] = field(default_factory=dict)

    @staticmethod
    def of(factory: pytest.TempPathFactory, worker: str) -> Once:
        """That of this run."""
        # the folders of the workers lie in one folder
        base = factory.getbasetemp() if worker == "master" else factory.getbasetemp().parent
        folder = base / "once"
        folder.mkdir(exist_ok=True)
        return Once(folder)

    def made(self, name: str, make: Callable[[Path], object]) -> Path:
        """A folder that one worker has filled; where that failed, the next one begins anew."""
        folder, done = self.folder / name, self.folder / f"{name}.done"
        with FileLock(self.folder / f"{name}.lock"):
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    def measured(self, source: str, **settings: Any) -> Report:
        """The report of a source, measured by one worker and read by the others."""
        call = repr((source, sorted(settings.items())))
        if call not in self._reports:
            name = f"report-{sha256(call.encode()).hexdigest()[:16]}"

            def measure(folder: Path) -> None:
                text = ibc_report.measure(source, **settings).to_json()
                (folder / "report.json").write_text(text, encoding="utf-8")

            self._reports[call] = ibc_report.load_report(self.made(name, measure) / "report.json")
        return self._reports[call]

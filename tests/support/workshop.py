"""A small dataset and a catalog of it on disk, for the tests of what works on files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ibc_report.data.task import Task

__all__ = ["Workshop", "set_up"]


@dataclass(frozen=True, slots=True)
class Workshop:
    """A folder with points.csv, two classes of 30 points in three columns.

    Parameters
    ----------
    folder : Path
        Where it lies.
    """

    folder: Path

    @property
    def data(self) -> Path:
        """The dataset."""
        return self.folder / "points.csv"

    @property
    def catalog(self) -> Path:
        """Where a catalog goes."""
        return self.folder / "catalog.yml"

    @property
    def task(self) -> Task:
        """The task of telling its classes apart."""
        return Task.of("points.csv", target="kind")

    def write_catalog(self, tasks: str) -> Path:
        """Write a catalog of tasks, each indented by two spaces."""
        self.catalog.write_text(f"tasks:\n{tasks}", encoding="utf-8")
        return self.catalog


def set_up(folder: Path) -> Workshop:
    """Write the dataset into a folder."""
    generator = np.random.default_rng(11)
    lines = ["x,y,z,kind"]
    for index, (x, y, z) in enumerate(generator.normal(size=(60, 3)).tolist()):
        lines.append(f"{x + 3 * (index % 2):.6f},{y:.6f},{z:.6f},{'ab'[index % 2]}")
    (folder / "points.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Workshop(folder)

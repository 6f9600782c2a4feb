"""Difficulty cards for datasets: how hard it is to generalize on a task, and how sure we are.

Examples
--------
>>> import ibc_report
>>> report = ibc_report.measure("builtin:digits")
>>> report.headline.exponent
'10.6'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ibc_report.common.version import __version__ as __version__

if TYPE_CHECKING:
    from ibc_report import complexity as complexity
    from ibc_report.common.errors import IbcReportError as IbcReportError
    from ibc_report.data.task import Catalog as Catalog
    from ibc_report.data.task import Task as Task
    from ibc_report.data.task import load_catalog as load_catalog
    from ibc_report.public import Report as Report
    from ibc_report.public import load_report as load_report
    from ibc_report.public import measure as measure
    from ibc_report.report.comparison import compare as compare

__all__ = [
    "Catalog",
    "IbcReportError",
    "Report",
    "Task",
    "compare",
    "complexity",
    "load_catalog",
    "load_report",
    "measure",
]

# Names are looked up when they are used: the command line answers --help without numpy.
_HOMES = {
    "Catalog": "data.task",
    "IbcReportError": "common.errors",
    "Report": "public",
    "Task": "data.task",
    "compare": "report.comparison",
    "load_catalog": "data.task",
    "load_report": "public",
    "measure": "public",
}


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


def __getattr__(name: str) -> Any:
    if name == "complexity":
        return import_module("ibc_report.complexity")
    if name not in _HOMES:
        raise AttributeError(f"module 'ibc_report' has no attribute '{name}'")
    return getattr(import_module(f"ibc_report.{_HOMES[name]}"), name)

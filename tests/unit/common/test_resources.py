"""Threads of BLAS: where its libraries are looked for."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
import threadpoolctl

from ibc_report.common import resources


def test_libraries_are_sought_again_after_an_import_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that follow one another share what was found; a module that came since may have brought a library."""
    sought = []

    def noted() -> threadpoolctl.ThreadpoolController:
        sought.append(len(sys.modules))
        return threadpoolctl.ThreadpoolController()

    resources._blas_beside.cache_clear()
    monkeypatch.setattr(resources, "ThreadpoolController", noted)
    monkeypatch.setitem(sys.modules, "ibc_report_first", ModuleType("ibc_report_first"))
    for _ in range(3):
        assert resources.run_blocks(lambda block: block + 1, [1, 2]) == [2, 3]
    assert len(sought) == 1
    monkeypatch.setitem(sys.modules, "ibc_report_second", ModuleType("ibc_report_second"))
    with resources.single_blas():
        pass
    assert len(sought) == 2

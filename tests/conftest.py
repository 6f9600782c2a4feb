"""What tests share: where the real datasets lie, and a working folder of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibc_report.geometry import Points
from tests.support.adversaries import ADVERSARIES
from tests.support.once import Once
from tests.support.profiles import register
from tests.support.workshop import Workshop, set_up

register()

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The real datasets beside the checkout; the test is skipped where they are not."""
    if not SHARED.is_dir():
        pytest.skip("the real datasets are not beside the checkout")
    return SHARED


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Once:
    """Where things are made once for all workers."""
    return Once.of(tmp_path_factory, worker_id)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """A folder with a small dataset of two classes."""
    return set_up(tmp_path)


@pytest.fixture(params=ADVERSARIES, ids=str)
def adversary(request: pytest.FixtureRequest) -> Points:
    """Each of the point sets that break a search which cuts corners."""
    return ADVERSARIES[request.param](np.random.default_rng(len(request.param)))


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240917)

"""A small Hub for tests: `with HubServer(tmp_path) as hub`, then the real clients against `hub.url`."""

from __future__ import annotations

from .accounts import User
from .client import Outcome, run_client
from .discussions import Discussion
from .faults import Order
from .history import Commit
from .server import HubServer
from .state import Settings
from .wire import Logged

__all__ = [
    "Commit",
    "Discussion",
    "HubServer",
    "Logged",
    "Order",
    "Outcome",
    "Settings",
    "User",
    "run_client",
]

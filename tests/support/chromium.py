"""Chromium for tests of pages, and a server of a folder for it."""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

__all__ = ["Browser", "browsing", "serving"]

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium of the system; the test is skipped where there is none."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("Chromium is not installed")
    switches = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=switches)
        try:
            yield browser
        finally:
            browser.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print no log."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives its address, which ends with a slash."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

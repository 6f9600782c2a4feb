"""How many cases property tests try: few in the short run, all of them under hypothesis' profile `long`."""

from __future__ import annotations

from hypothesis import settings

__all__ = ["FEWER", "examples", "register"]

FEWER = 50
"""The most cases of a property in the short run."""


def register() -> None:
    """Register the profile `long` and set the short one, which `--hypothesis-profile` replaces."""
    # no deadline, for a slow machine is no defect
    settings.register_profile("long", deadline=None, max_examples=100)
    settings.register_profile("short", deadline=None, max_examples=FEWER)
    settings.load_profile("short")


def examples(full: int, few: int = FEWER) -> int:
    """How many of so many cases this run tries, few where each is slow; asked when a module of tests is imported."""
    # the profile of the command line is loaded between the conftest and the modules of tests
    return full if settings().max_examples > FEWER else min(full, few)

"""What the number rests on: a file for each assumption, found by listing this folder; `ledger` checks them all.

The statements follow the derivation of Boopathy et al., ICML 2023, and how its script counts.
"""

from pathlib import Path

__all__ = sorted(path.stem for path in Path(__file__).parent.glob("a[0-9]*.py"))

IDS = tuple(f"A{int(name[1 : name.index('_')])}" for name in __all__)
"""The assumptions' ids, as the files are numbered: who wants no more need not import what checks them."""

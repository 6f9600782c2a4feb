"""What the Hub's clients raise, in words."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from huggingface_hub.errors import LocalTokenNotFoundError, OfflineModeIsEnabled

from ibc_report.common.errors import DataError, IbcReportError, UsageError
from ibc_report.common.hub_failures import HubError, explanation

PAGE = "https://huggingface.co/datasets/o/n"


class DatasetNotFoundError(FileNotFoundError):
    """Stands for the one of `datasets`, which is known by its name."""


def answered(status: int, text: str = "") -> Exception:
    """An error with an answer of the Hub."""
    error = RuntimeError(text)
    error.response = SimpleNamespace(status_code=status)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("error", "kind", "line"),
    [
        (OfflineModeIsEnabled("offline"), HubError, "o/n@v1 is not in the cache and HF_HUB_OFFLINE is set"),
        (RuntimeError("o/n is a gated dataset on the Hub"), HubError, f"o/n is gated; ask for access at {PAGE}"),
        (answered(401, "Invalid username or password"), HubError, "the Hub does not accept your token"),
        (DatasetNotFoundError("o/n"), UsageError, "o/n does not exist on the Hub, or is private"),
        (answered(401), HubError, "the Hub does not know you; log in with 'hf auth login' to reach o/n"),
        (answered(403), HubError, "your token may not do this to o/n"),
        (answered(429), HubError, "the Hub limits how often you may ask (429)"),
        (answered(503), HubError, "the Hub fails (503); nothing is wrong here"),
        (RuntimeError("Dataset scripts are no longer supported"), DataError, "o/n is loaded by a script"),
        (ConnectionError("refused"), HubError, f"the Hub cannot be reached at {PAGE}"),
        (LocalTokenNotFoundError("Token is required"), HubError, "you are not logged in"),
        (ValueError("corresponds to no data"), DataError, "o/n@v1 has no rows; choose another --split"),
        (ValueError("No (supported) data files found"), DataError, "o/n@v1 has no data files that can be loaded"),
        (ValueError("odd\nmore"), DataError, "o/n@v1 cannot be read: odd"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_failure_has_a_line_of_its_own(
    error: Exception, kind: type[IbcReportError], line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure is told by its class, its status or its text, and its line names the remedy."""
    monkeypatch.delenv("HF_DATASETS_OFFLINE", raising=False)
    said = explanation(error, "o/n", "v1", PAGE)

    assert type(said) is kind
    assert str(said).startswith(line)


def test_what_an_error_came_from_counts_too() -> None:
    """An answer of the Hub is found behind the error that a client made of it."""
    outer = RuntimeError("something failed")
    outer.__cause__ = answered(429)

    assert "(429)" in str(explanation(outer, "o/n", None, PAGE))


def test_a_token_is_not_repeated() -> None:
    """A token in the text of an error is left out of its line."""
    said = str(explanation(ValueError("hf_abcdefgh12345678 is wrong"), "o/n", None, PAGE))

    assert said == "o/n cannot be read: hf_… is wrong"


def test_the_loader_s_own_offline_mode_is_said_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where HF_DATASETS_OFFLINE is set and nothing has answered, that is the reason."""
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")

    assert "HF_DATASETS_OFFLINE is set" in str(explanation(ConnectionError("refused"), "o/n", None, PAGE))
    assert "(429)" in str(explanation(answered(429), "o/n", None, PAGE))

"""The front matter of a README, as the Hub reads it: YAML 1.2, a mapping, anything else is no metadata."""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
PAPER_LINK = re.compile(r"(?:arxiv\.org/(?:abs|pdf)|huggingface\.co/papers|hf\.co/papers)/(\d{4}\.\d{4,5})")

# Card fields that become tags with a prefix on a dataset's page.
PREFIXED = ("task_categories", "task_ids", "language", "license", "size_categories", "multilinguality")


class _Yaml12(yaml.SafeLoader):
    """PyYAML reads YAML 1.1, where `no` is false, `010` is 8 and `12:30` is 750; the Hub does not."""


_Yaml12.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":bool", ":int", ":float"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _tag, _pattern, _first in (
    ("bool", r"(?:true|True|TRUE|false|False|FALSE)\Z", "tTfF"),
    ("int", r"[-+]?(?:[0-9]+|0x[0-9a-fA-F]+)\Z", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.inf)\Z|\.nan\Z", "-+.0123456789"),
):
    _Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


def _integer(loader: _Yaml12, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    return int(text, 16) if "x" in text else int(text)


_Yaml12.add_constructor("tag:yaml.org,2002:int", _integer)


@dataclass(frozen=True)
class Metadata:
    """What the front matter holds; `error` says why it holds nothing."""

    values: dict[str, Any]
    present: bool
    error: str | None = None


def load_yaml(text: str) -> Any:
    """Read YAML as the Hub does, into what JSON can hold."""
    return _jsonable(yaml.load(text, Loader=_Yaml12))


def read_metadata(readme: str) -> Metadata:
    """Read the front matter of a README and never raise."""
    match = FRONT_MATTER.match(readme)
    if match is None:
        return Metadata({}, present=False)
    try:
        values = load_yaml(match[1])
    except (yaml.YAMLError, ValueError) as error:
        return Metadata({}, present=True, error=str(error))
    if values is None:
        return Metadata({}, present=True)
    if not isinstance(values, dict):
        return Metadata({}, present=True, error="the metadata is no mapping")
    return Metadata(values, present=True, error=_first_problem(values))


def tags(kind: str, metadata: Metadata, readme: str) -> list[str]:
    """The tags of a repository's page: from its fields, from its own list, and from the papers it links."""
    values = metadata.values
    fields = PREFIXED if kind == "dataset" else ("license",)
    found = [f"{field}:{item}" for field in fields for item in _as_list(values.get(field))]
    found += [str(item) for item in _as_list(values.get("tags"))]
    found += [f"arxiv:{paper}" for paper in PAPER_LINK.findall(readme)]
    return list(dict.fromkeys(found))


def _first_problem(values: dict[str, Any]) -> str | None:
    for field in ("tags", "language", "license"):
        if not all(isinstance(item, str) for item in _as_list(values.get(field))):
            return f'"{field}" must be a string or a list of strings'
    return None


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _jsonable(value: Any) -> Any:
    # JSON has neither dates nor NaN, and its keys are strings.
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_jsonable(item) for item in value]
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)

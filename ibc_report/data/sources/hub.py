"""Datasets of the Hugging Face Hub, named OWNER/NAME, pinned to the commit that was read."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ibc_report.common import hub, sampling
from ibc_report.common.errors import DataError, UsageError, choices
from ibc_report.data.sources import files
from ibc_report.data.sources.rows import EVERY_ROW, Origin, Rows, Sample, license_of
from ibc_report.data.sources.tables import rows_of, without_bars

__all__ = ["DEFAULT_STREAMED", "Glimpse", "Parts", "glimpse", "head", "load", "origin", "parts"]

DEFAULT_STREAMED = 10_000
"""Rows that a stream is sampled to where the user names no number."""

STREAM_BATCH = 1000

GLIMPSE_ROWS = 3


@dataclass(frozen=True, slots=True)
class Parts:
    """What a dataset has to choose from.

    Parameters
    ----------
    configs : mapping of str to list of str
        Splits by configuration.
    info : object
        What the Hub says of the dataset (`huggingface_hub.DatasetInfo`).
    """

    sha: str
    configs: dict[str, list[str]]
    info: Any


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a reader of a dataset sees first: its features and its first rows, as text."""

    features: str
    rows: tuple[str, ...]


def parts(repository: str, revision: str | None = None, config: str | None = None) -> Parts:
    """List the configurations and splits of a dataset.

    Parameters
    ----------
    revision : str, optional
        Branch, tag or commit; main by default.
    config : str, optional
        List the splits of this configuration only.

    Raises
    ------
    HubError, UsageError, DataError
        See `ibc_report.common.hub.explained`; a configuration that does not exist is a UsageError that lists those that
        do.
    """
    info = hub.pinned(repository, revision)
    with hub.explained(repository, revision), without_bars():
        names = _config_names(repository, info.sha)
        wanted = names if config is None else [_config(repository, names, config)]
        configs = {name: _splits(repository, name, info.sha) for name in wanted}
    return Parts(info.sha, configs, info)


def load(
    repository: str,
    *,
    revision: str | None = None,
    config: str | None = None,
    split: str | None = None,
    sample: Sample = EVERY_ROW,
) -> Rows:
    """Read a split of a dataset.

    Parameters
    ----------
    revision : str, optional
        Branch, tag or commit; main by default. It is resolved to a commit first, and that is what is read.
    config, split : str, optional
        Which part; found where only one makes sense.
    sample : Sample
        Of a stream, which rows to keep: every row is read once. What is stored is not sampled here.

    Raises
    ------
    HubError, UsageError, DataError
        See `ibc_report.common.hub.explained`; a choice that is not plain is a UsageError that lists the candidates.
    """
    info = hub.pinned(repository, revision)
    with hub.explained(repository, revision):
        import datasets

        with without_bars():
            names = _config_names(repository, info.sha)
            config = _config(repository, names, config)
            splits = _splits(repository, config, info.sha)
            chosen = files.choose_split(repository, dict.fromkeys(splits), split)
            if sample.streaming:
                stream = _stream(repository, config, chosen, info.sha)
                dataset, numbers, count = _sampled(stream, sample.most or DEFAULT_STREAMED, sample.seed)
                features = stream.features
            else:
                dataset = hub.retried(
                    # what a card declares of its number of rows may be stale: the rows themselves count
                    lambda: datasets.load_dataset(
                        repository, config, split=chosen, revision=info.sha, verification_mode="no_checks"
                    ),
                    tries=hub.READ_TRIES,
                )
                numbers, count, features = None, dataset.num_rows, dataset.features
    if count == 0:
        raise DataError(f"{repository} has no rows in split '{chosen}'; choose another with --split")
    where = origin(repository, info, config if len(names) > 1 else None, chosen)
    where = replace(where, splits=tuple(splits))
    return rows_of(dataset, where, numbers=numbers, total=count if sample.streaming else None, features=features)


def glimpse(repository: str, sha: str, config: str | None, split: str | None) -> Glimpse:
    """Read the features and the first rows of a dataset at a commit.

    Raises
    ------
    HubError, UsageError, DataError
        See `ibc_report.common.hub.explained`.
    """
    with hub.explained(repository, sha), without_bars():
        stream = _stream(repository, config, split, sha)
        # paths of undecoded files name the commit, in which they may differ
        rows = tuple(repr(row).replace(sha, "") for row in stream.take(GLIMPSE_ROWS))
        features = _one_form(repr(stream.features))
        # a stream that was not read to its end can abort the interpreter at its exit unless it is gone by then
        del stream
        gc.collect()
    return Glimpse(features, rows)


def _one_form(features: str) -> str:
    """Features in words without the width of their offsets: what lies in the cache has other ones than what is read.

    Examples
    --------
    >>> _one_form("{'a': Value('large_string'), 'b': LargeList(Value('large_binary'))}")
    "{'a': Value('string'), 'b': List(Value('binary'))}"
    """
    return re.sub(r"\blarge_(?=string|binary|utf8)", "", features).replace("LargeList(", "List(")


def head(repository: str, sha: str, config: str, split: str, most: int) -> Rows:
    """Read the first rows of a split, `most` of them or all that there are.

    Raises
    ------
    HubError, UsageError, DataError
        See `ibc_report.common.hub.explained`.
    """
    with hub.explained(repository, sha):
        import datasets

        with without_bars():
            stream = _stream(repository, config, split, sha)
            features = stream.features
            rows = list(stream.take(most))
            dataset = datasets.Dataset.from_list(rows, features=_plain(features))
            # see `glimpse`
            del stream
            gc.collect()
    where = Origin(source=repository, revision=sha, config=config, split=split)
    return rows_of(dataset, where, features=features)


def _stream(repository: str, config: str | None, split: str | None, sha: str) -> Any:
    """A stream whose features are known and whose images stay undecoded."""
    import datasets

    stream = hub.retried(
        lambda: datasets.load_dataset(repository, config, split=split, revision=sha, streaming=True),
        tries=hub.READ_TRIES,
    )
    if stream.features is None:
        stream = stream._resolve_features()
    return stream.decode(False)


def _config_names(repository: str, sha: str) -> list[str]:
    import datasets

    names = hub.retried(lambda: datasets.get_dataset_config_names(repository, revision=sha), tries=hub.READ_TRIES)
    return list(names)


def _splits(repository: str, config: str, sha: str) -> list[str]:
    import datasets

    names = hub.retried(
        lambda: datasets.get_dataset_split_names(repository, config, revision=sha), tries=hub.READ_TRIES
    )
    return list(names)


def _config(repository: str, names: list[str], wanted: str | None) -> str:
    if wanted is not None:
        if wanted not in names:
            raise UsageError(f"{repository} has no configuration '{wanted}'; {choices(wanted, names)}")
        return wanted
    if len(names) == 1:
        return names[0]
    if "default" in names:
        return "default"
    raise UsageError(f"{repository} has several configurations; choose one with --config: {', '.join(names)}")


def _sampled(stream: Any, most: int, seed: int) -> tuple[Any, Any, int]:
    """Read a stream once and keep the rows whose hash is smallest."""
    import datasets

    kept: dict[int, dict[str, Any]] = {}
    count = 0
    limit = np.uint64(np.iinfo(np.uint64).max)
    for batch in stream.iter(batch_size=STREAM_BATCH):
        size = len(next(iter(batch.values())))
        numbers = np.arange(count, count + size)
        for position in np.flatnonzero(sampling.ranks(numbers, seed) <= limit):
            kept[int(numbers[position])] = {name: values[position] for name, values in batch.items()}
        count += size
        if len(kept) > most:
            kept, limit = _smallest(kept, most, seed)
    kept, _ = _smallest(kept, most, seed)
    numbers = np.array(sorted(kept), dtype=np.int64)
    pictures = [
        name for name, feature in stream.features.items() if isinstance(feature, datasets.Image | datasets.Audio)
    ]
    rows = [_with_contents(kept[int(number)], pictures) for number in numbers]
    return datasets.Dataset.from_list(rows, features=_plain(stream.features)), numbers, count


def _with_contents(row: dict[str, Any], pictures: list[str]) -> dict[str, Any]:
    """Fetch the images of a row that only name their file in the repository."""
    from huggingface_hub import HfFileSystem

    found = dict(row)
    for name in pictures:
        picture = row[name]
        if picture is None or picture.get("bytes") is not None or not str(picture.get("path")).startswith("hf://"):
            continue
        address = str(picture["path"])
        content = hub.retried(partial(HfFileSystem().cat_file, address), tries=hub.READ_TRIES)
        found[name] = {"bytes": content, "path": address}
    return found


def _smallest(kept: dict[int, dict[str, Any]], most: int, seed: int) -> tuple[dict[int, dict[str, Any]], np.uint64]:
    numbers = sampling.chosen(np.array(sorted(kept), dtype=np.int64), most, seed)
    ranks = sampling.ranks(numbers, seed)
    full = len(numbers) == most
    limit = ranks.max() if full else np.uint64(np.iinfo(np.uint64).max)
    return {int(number): kept[int(number)] for number in numbers}, limit


def _plain(features: Any) -> Any:
    """Features that take what a stream gives: images undecoded, and labels as they are, out of range or not."""
    import datasets

    def plain(feature: Any) -> Any:
        if isinstance(feature, datasets.Image | datasets.Audio):
            return type(feature)(decode=False)
        return datasets.Value("int64") if isinstance(feature, datasets.ClassLabel) else feature

    return datasets.Features({name: plain(feature) for name, feature in features.items()})


def origin(repository: str, info: Any, config: str | None, split: str | None) -> Origin:
    """Tell where rows come from, with what the dataset's card says of itself.

    Parameters
    ----------
    info : huggingface_hub.DatasetInfo
        What the Hub says of it.
    """
    card = info.card_data.to_dict() if info.card_data is not None else {}
    return Origin(
        source=repository,
        revision=info.sha,
        config=config,
        split=split,
        license=license_of(card),
        homepage=hub.address(repository),
        gated=str(info.gated) if info.gated else None,
        dataset_info=card.get("dataset_info"),
    )

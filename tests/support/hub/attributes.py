"""`.gitattributes` and `.gitignore`: which files go to LFS, and which ones the Hub drops."""

from __future__ import annotations

from functools import lru_cache

from pathspec import GitIgnoreSpec

# Larger files are refused in plain git, so the Hub sends them to LFS whatever their name.
REGULAR_LIMIT = 10 * 1000 * 1000

_ARCHIVES = ("7z", "arrow", "bz2", "gz", "parquet", "rar", "tar", "tgz", "xz", "zip", "zst")
_ARRAYS = ("bin", "ckpt", "h5", "joblib", "msgpack", "npy", "npz", "onnx", "pb", "pickle", "pkl", "pt", "pth")
_WEIGHTS = ("ftz", "model", "ot", "safetensors", "wasm")
_IMAGES = ("bmp", "gif", "jpeg", "jpg", "png", "tiff", "webp")
_SOUND_AND_FILM = ("aac", "flac", "mp3", "mp4", "ogg", "pcm", "raw", "sam", "wav", "webm")


def template(kind: str) -> bytes:
    """The `.gitattributes` of a new repository: only a dataset's one sends images, audio and video to LFS."""
    extensions = _ARCHIVES + _ARRAYS + _WEIGHTS + (_IMAGES + _SOUND_AND_FILM if kind == "dataset" else ())
    return "".join(f"*.{name} filter=lfs diff=lfs merge=lfs -text\n" for name in extensions).encode()


def goes_to_lfs(path: str, size: int, gitattributes: str) -> bool:
    """Whether a file of this path and size is kept by LFS: the last line that matches decides."""
    verdicts = [verdict for spec, verdict in _lfs_rules(gitattributes) if spec.match_file(path)]
    return size > REGULAR_LIMIT or verdicts[-1:] == [True]


def is_ignored(path: str, gitignore: str) -> bool:
    """Whether git would leave the path out."""
    return GitIgnoreSpec.from_lines(gitignore.splitlines()).match_file(path)


# A folder of images asks the same question thousands of times.
@lru_cache(maxsize=16)
def _lfs_rules(gitattributes: str) -> tuple[tuple[GitIgnoreSpec, bool], ...]:
    rules = []
    for line in gitattributes.splitlines():
        pattern, *attributes = line.split() or ["#"]
        filters = [item for item in attributes if item.lstrip("-!").partition("=")[0] == "filter"]
        if filters and not pattern.startswith("#"):
            rules.append((GitIgnoreSpec.from_lines([pattern]), filters[-1] == "filter=lfs"))
    return tuple(rules)

"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ibc_report.errors import IbcReportError

__all__ = ["write"]


def write(path: Path, content: str | bytes) -> None:
    """Write a file through a temporary one beside it.

    Parameters
    ----------
    path : Path
        Its folder is made where it is missing.
    content : str or bytes
        Text is written as UTF-8 with the line ends that it has.

    Raises
    ------
    IbcReportError
        If the file cannot be written; what was there is then still there.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            # mkstemp makes files for the owner alone; a report is as readable as any other new file
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise IbcReportError(f"{path} cannot be written: {error.strerror or error}") from error

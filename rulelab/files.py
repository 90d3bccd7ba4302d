"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "write"]

_MOST_OF_NAME = 100


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside ``path`` to write to, which takes its place when the block ends without an error.

    Until then ``path`` stays as it is, also when the process is killed. A link stays one: the file that it names is
    replaced. What is no file, such as ``/dev/stdout``, is written to as it is.

    Parameters
    ----------
    path : path

    Yields
    ------
    Path
        Where to write; of the same ending.

    Raises
    ------
    OSError
        When the folder cannot be written.
    """
    named, whole = Path(path), Path(os.path.realpath(path))
    if (named.exists() and not named.is_file()) or named.absolute().parts[1:2] in (("dev",), ("proc",)):
        yield named
        return
    part = whole.with_name(f".{whole.stem[:_MOST_OF_NAME]}.{secrets.token_hex(4)}{whole.suffix}")
    part.touch(exist_ok=False)
    try:
        if whole.exists():
            part.chmod(whole.stat().st_mode & 0o777)
        yield part
        part.replace(whole)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, a text as UTF-8; see `replacing`."""
    with replacing(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)

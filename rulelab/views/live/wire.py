"""What goes between two processes: objects as pickles, their arrays beside them, and names for what both have."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

_PIECE_BYTES = 1 << 20

Part = bytes | bytearray | memoryview
"""A pickle, or an array of it."""


def pack(found: Any, known: Mapping[str, Any] = {}) -> list[Part]:
    """An object, with names in the place of what the other process knows.

    Arrays go one by one beside the rest, so that no one step of it holds up other threads for long.
    """
    arrays: list[pickle.PickleBuffer] = []
    return [dumped(found, known, arrays.append), *(array.raw() for array in arrays)]


def unpack(parts: Sequence[Part], known: Mapping[str, Any] = {}) -> Any:
    """What `pack` has packed, with what this process has under the names."""
    first, *arrays = parts
    return loaded(first, known, arrays)


def dumped(found: Any, known: Mapping[str, Any], apart: Callable[[pickle.PickleBuffer], Any] | None = None) -> bytes:
    """An object as bytes, with names in the place of what is known; ``apart`` is given its arrays."""
    out = io.BytesIO()
    _Pickler(out, known, apart).dump(found)
    return out.getvalue()


def loaded(raw: bytes | bytearray | memoryview, known: Mapping[str, Any], arrays: Sequence[Part] = ()) -> Any:
    """What `dumped` has written."""
    return _Unpickler(io.BytesIO(raw), known, arrays).load()


def send(stream: IO[bytes], parts: list[Part]) -> None:
    """Write parts, each with its size; none is held any longer than that."""
    stream.write(len(parts).to_bytes(8, "little"))
    parts.reverse()
    while parts:
        stream.write(len(parts[-1]).to_bytes(8, "little"))
        stream.write(parts.pop())
    stream.flush()


def receive(stream: IO[bytes]) -> list[Part]:
    """The parts that were sent; EOFError when the other end is gone."""
    n_parts = int.from_bytes(_exactly(stream, 8), "little")
    return [_exactly(stream, int.from_bytes(_exactly(stream, 8), "little")) for _ in range(n_parts)]


def _exactly(stream: IO[bytes], size: int) -> bytearray:
    out = bytearray(size)
    view, at = memoryview(out), 0
    while at < size:
        got = stream.readinto(view[at : at + _PIECE_BYTES])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        at += got
    return out


class _Pickler(pickle.Pickler):
    """Writes names in the place of what has one."""

    def __init__(self, stream: io.BytesIO, known: Mapping[str, Any], apart: Callable[[Any], Any] | None) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL, buffer_callback=apart)
        self._names = {id(each): name for name, each in known.items()}

    def persistent_id(self, found: Any) -> str | None:
        return self._names.get(id(found))


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, known: Mapping[str, Any], arrays: Sequence[Part]) -> None:
        super().__init__(stream, buffers=arrays)
        self._known = known

    def persistent_load(self, pid: str) -> Any:
        if pid not in self._known:
            raise pickle.UnpicklingError(f"{pid!r} is not known here")
        return self._known[pid]

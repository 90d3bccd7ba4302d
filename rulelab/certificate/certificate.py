"""A certificate and its file: named arrays of numbers and a small header, in a compressed npz archive."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Self

import numpy as np

from .. import files
from ..data.problem import Problem
from ..shown import Fact, Shown
from .origin import Origin, OriginError
from .parts import parts

SCHEMA = 3  # of the files that are written; those of schema 1, which have no origin, are read too
LARGEST_FILE = 1 << 31  # most bytes of all arrays together that `Certificate.load` unpacks

_HEADER = "header"
_ORIGIN = "origin"
_FIELDS = {"schema", "family", "fingerprint", "parameters", "in_order"}
_LARGEST_HEADER = 1 << 16
_LARGEST_DIRECTORY = 1 << 12
_MOST_ARRAYS = 16
_SMALL, _RATIO = 1 << 26, 256
"""What is larger than so many bytes when unpacked must be that many times smaller at most when packed."""
_SMALL_ORIGIN, _ORIGIN_RATIO = 1 << 20, 64
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x07"
_ARRAY = re.compile(
    rb"\{'descr': (.{1,9000}), 'fortran_order': (True|False), 'shape': \((-?\d[-\d, ]{0,99})?\), \} *\n", re.DOTALL
)
_NUMBERS = re.compile(r"'(\|u1|[<>]i8|[<>]f8)'")


class CertificateError(ValueError):
    """There is no certificate to be had, or a file is not one; the message says why."""


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Shown):
    """A proof that a model is optimal for one problem; `verify` checks it.

    Attributes
    ----------
    family : str
        Of the model, such as "rule_list".
    fingerprint : str
        `Problem.fingerprint` of the data.
    parameters : mapping of str to float
        What the objective depends on besides the data, such as ``regularization``.
    arrays : mapping of str to array
        The proof; its form depends on the family. For rule lists: ``sets``, uint8 of shape (n, n_bytes), packed sets of
        patterns, ``values``, int64 of shape (n,), a lower bound on what each set still costs, and maybe ``lemmas``,
        int64, positions of the sets that bound other sets.
    origin : Origin or None
        How a raw table becomes the problem; `verify` does not need it, but ``rulelab verify`` does.
    in_order : bool
        Whether what the arrays say of patterns is about those of `Problem.in_order`, so that rows in another order, or
        counted, prove the same; earlier versions wrote it in the order of the rows.

    Raises
    ------
    CertificateError
        When an attribute is of another type than this.
    """

    family: str
    fingerprint: str
    parameters: Mapping[str, float]
    arrays: Mapping[str, np.ndarray]
    origin: Origin | None = None
    in_order: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def _check_types(self) -> None:
        if not (isinstance(self.family, str) and isinstance(self.fingerprint, str)):
            raise CertificateError("the family and the fingerprint of a certificate must be texts")
        for what, mapping in (("parameters", self.parameters), ("arrays", self.arrays)):
            if not (isinstance(mapping, Mapping) and all(isinstance(key, str) for key in mapping)):
                raise CertificateError(f"the {what} of a certificate must be a mapping with names, not {mapping!r:.60}")
        for key, value in self.parameters.items():
            if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
                raise CertificateError(f"the parameter {key!r} of a certificate must be a number, not {value!r:.60}")
        for key, array in self.arrays.items():
            if type(array) is not np.ndarray or array.dtype.kind not in "buif":
                raise CertificateError(f"{key!r} of a certificate must be an array of numbers, not {_kind(array)}")
        if not (self.origin is None or isinstance(self.origin, Origin)):
            raise CertificateError(f"the origin of a certificate must be an Origin, not {type(self.origin).__name__}")

    def _title(self) -> str:
        return f"Certificate of the family {self.family}"

    def _facts(self) -> Iterator[Fact]:
        yield from ((name.replace("_", " "), value) for name, value in self.parameters.items())
        if self.origin is not None:
            yield "target", self.origin.target
            yield "antecedents", len(self.origin.names)
        yield "proof", tuple(f"{name} ({' x '.join(map(str, array.shape))})" for name, array in self.arrays.items())
        yield "bytes", self.nbytes
        yield "made for the data", self.fingerprint

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.family, self.fingerprint, dict(self.parameters), dict(self.arrays), self.origin, self.in_order
        return Certificate, given

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in self.arrays.values())

    @property
    def compares_groups(self) -> bool:
        """Whether it speaks of differences between groups, so that a problem without them is another one."""
        return any(name.endswith(("_tolerance", "_gap")) for name in self.parameters)

    def save(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        """Write a compressed npz archive that holds numbers and text only, no pickled objects.

        A file that is there already is replaced when the new one is complete, and stays as it is when that fails.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        CertificateError
            When the origin has too many antecedents for a file.
        OSError
            When the file cannot be written.
        """
        header = {
            "schema": SCHEMA,
            "family": self.family,
            "fingerprint": self.fingerprint,
            "parameters": dict(self.parameters),
            "in_order": self.in_order,
        }
        text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        arrays: dict[str, Any] = {_HEADER: text, **self.arrays}
        if self.origin is not None:
            try:
                arrays[_ORIGIN] = np.frombuffer(self.origin.dump(), dtype=np.uint8)
            except OriginError as error:
                raise CertificateError(str(error)) from None
        if not isinstance(path, str | os.PathLike):
            _write_arrays(path, arrays)
            return
        with files.replacing(path) as part, part.open("wb") as stream:
            _write_arrays(stream, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | BinaryIO) -> Self:
        """Read what `save` wrote. The file may come from anywhere: nothing in it is run.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        CertificateError
            When the file is not a certificate of a known schema, is damaged, or is unreasonably large.
        FileNotFoundError
            When there is no such file.
        """
        if isinstance(path, str | os.PathLike):
            with Path(path).open("rb") as stream:
                return cls._load(stream)
        if not (hasattr(path, "read") and hasattr(path, "seek")):
            raise CertificateError(f"a certificate is loaded from a path or an open file, not from {_kind(path)}")
        return cls._load(path)

    @classmethod
    def _load(cls, stream: BinaryIO) -> Self:
        try:
            size = _check_directory(stream)
            with zipfile.ZipFile(stream) as archive:
                arrays = _read_arrays(archive, size)
        except CertificateError:
            raise
        except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, TypeError) as error:
            raise CertificateError(f"this is not a certificate, or it is damaged: {error}") from None
        except OSError as error:
            if error.errno != errno.EINVAL:  # of a place before the beginning, where a member is said to be
                raise
            raise CertificateError("this is not a certificate, or it is damaged: it names places outside it") from None
        if _HEADER not in arrays:
            raise CertificateError("this archive has no header: it is not a certificate")
        header = _read_header(arrays.pop(_HEADER))
        origin = _read_origin(arrays.pop(_ORIGIN)) if header["schema"] > 1 and _ORIGIN in arrays else None
        parameters = {key: float(value) for key, value in header["parameters"].items()}
        return cls(header["family"], header["fingerprint"], parameters, arrays, origin, header.get("in_order", False))


def certificate_of(
    problem: Problem,
    family: str,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray | list[int]],
    in_order: bool = False,
) -> Certificate:
    """The certificate of a model of this family, with the origin of the problem."""
    made = {name: np.array(x, dtype=np.int64) if isinstance(x, list) else x for name, x in arrays.items()}
    return Certificate(family, problem.fingerprint, dict(parameters), made, Origin.of(problem), in_order)


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _check_directory(stream: BinaryIO) -> int:
    """The size of the file, whose end must be that of an archive of a few members without any comment.

    `zipfile` takes this end as it is, so that it will not read a directory of another size or place.
    """
    stream.seek(0, os.SEEK_END)
    size = stream.tell()
    stream.seek(max(0, size - 42))
    end = stream.read(42)
    if not isinstance(end, bytes):
        raise CertificateError("a certificate is loaded from a file that was opened in binary mode")
    if end[-22:-18] != _END or end[-2:] != b"\0\0" or end[:4] == _END_64:
        raise CertificateError("this is not a certificate, or it is damaged: its end is not that of an archive")
    n_members, directory = struct.unpack("<10xHI6x", end[-22:])
    if n_members > _MOST_ARRAYS or directory > _LARGEST_DIRECTORY:
        raise CertificateError("this is not a certificate: the archive must hold a few arrays, each named once")
    stream.seek(0)
    return size


def _write_arrays(stream: BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
                header = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
                np.lib.format.write_array_header_1_0(out, header)
                flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
                for part in parts(len(flat), 1, 1 << 20):
                    out.write(flat[part].tobytes())


def _read_arrays(archive: zipfile.ZipFile, packed: int) -> dict[str, np.ndarray]:
    """The arrays of an archive whose file has so many bytes."""
    members = archive.infolist()
    names = [member.filename for member in members]
    if len(names) > _MOST_ARRAYS or len(set(names)) < len(names) or not all(n.endswith(".npy") for n in names):
        raise CertificateError("this is not a certificate: the archive must hold a few arrays, each named once")
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise CertificateError("this is not a certificate: the archive is compressed in an unknown way")
    if (size := sum(member.file_size for member in members)) > LARGEST_FILE:
        raise CertificateError(f"the arrays of this certificate take {size} bytes; at most {LARGEST_FILE} are read")
    text = sum(m.file_size for m in members if m.filename in (f"{_HEADER}.npy", f"{_ORIGIN}.npy"))
    if size > max(_SMALL, _RATIO * packed) or text > max(_SMALL_ORIGIN, _ORIGIN_RATIO * packed):
        raise CertificateError(f"{packed} bytes of this file claim to be {size} bytes of arrays: no certificate does")
    return {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array of the archive, whose claimed shape must be what its bytes amount to."""
    name = repr(member.filename)
    content = bytearray(member.file_size)  # no more than that is ever unpacked
    with archive.open(member) as packed, memoryview(content) as view:
        for part in parts(len(content), 1):
            if packed.readinto(view[part]) < part.stop - part.start:  # type: ignore[attr-defined]
                raise CertificateError(f"the array {name} of this certificate is damaged: it is shorter than it claims")
        packed.read(1)  # compares the check sum
    if not content.startswith(b"\x93NUMPY") or len(content) < 10:
        raise CertificateError(f"the array {name} of this certificate is damaged: it does not begin as an array")
    if content[6:8] != b"\1\0":
        raise CertificateError(f"the array {name} of this certificate has the unknown format {tuple(content[6:8])}")
    start = 10 + int.from_bytes(content[8:10], "little")
    header = _ARRAY.fullmatch(content[10:start])
    if header is None:
        raise CertificateError(f"the array {name} of this certificate is damaged: its type or shape cannot be read")
    descr = header[1].decode("latin1")
    if not _NUMBERS.fullmatch(descr) or header[2] == b"True":
        raise CertificateError(f"the array {name} of this certificate holds {descr:.60}; only plain numbers are read")
    shape, dtype = tuple(map(int, re.findall(rb"-?\d+", header[3] or b""))), np.dtype(descr[1:-1])
    if len(shape) > 3 or any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise CertificateError(f"the array {name} claims the shape {shape}, but has {len(content) - start} bytes")
    array = np.frombuffer(content, dtype=dtype, offset=start).reshape(shape)
    return array.astype(dtype.newbyteorder("="), copy=False)


def _read_origin(array: np.ndarray) -> Origin:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise CertificateError("the origin of this certificate is not text")
    try:
        return Origin.parse(array.tobytes())
    except OriginError as error:
        raise CertificateError(f"the origin of this certificate cannot be read: {error}") from None


def _read_header(array: np.ndarray) -> dict[str, Any]:
    if array.dtype != np.uint8 or array.ndim != 1 or array.size > _LARGEST_HEADER:
        raise CertificateError("the header of this certificate is not text")
    try:
        header = files.load_json(array.tobytes(), _LARGEST_HEADER, 64)
    except ValueError as error:
        raise CertificateError(f"the header of this certificate cannot be read: {error}") from None
    if not isinstance(header, dict) or type(header.get("schema")) is not int:
        raise CertificateError("the header of this certificate names no schema")
    if not 1 <= header["schema"] <= SCHEMA:
        raise CertificateError(
            f"this certificate has schema {header['schema']}, but this version of rulelab reads 1 to {SCHEMA}"
        )
    family, fingerprint, parameters = (header.get(key) for key in ("family", "fingerprint", "parameters"))
    if not isinstance(family, str) or not isinstance(fingerprint, str) or not isinstance(parameters, dict):
        raise CertificateError("the header of this certificate lacks the family, the fingerprint or the parameters")
    fields = _FIELDS if header["schema"] > 2 else _FIELDS - {"in_order"}
    if set(header) != fields:
        raise CertificateError(
            f"the header of this certificate must hold {sorted(fields)}, not {sorted(header)!s:.200}"
        )
    if type(header.get("in_order", False)) is not bool:
        raise CertificateError("the header of this certificate does not say of which order its patterns are")
    for key, value in parameters.items():
        if type(value) not in (int, float) or not is_plain(value):
            raise CertificateError(f"the parameter {key!r} of this certificate is not a number")
    return header


def is_plain(value: float) -> bool:
    """Whether a number is finite, also as a float, and not a negative zero."""
    return abs(value) <= sys.float_info.max and not (value == 0 and math.copysign(1, value) < 0)


def check_parameters(
    parameters: Mapping[str, float],
    needed: Collection[str],
    noun: str,
    optional: Collection[str] = (),
    suffix: str = "",
) -> None:
    """Refuse a certificate that does not say what it speaks of, or says what such models (``noun``) do not have."""
    for name in needed:
        if name not in parameters:
            raise CertificateError(f"the certificate does not say for which {name} it speaks")
    known = {*needed, *optional}
    if more := sorted(name for name in parameters if name not in known and not (suffix and name.endswith(suffix))):
        raise CertificateError(f"the certificate has parameters that {noun} do not have: {', '.join(more)}")


def check_arrays(arrays: Mapping[str, Any], needed: Collection[str]) -> None:
    """Refuse other arrays than these; raises CertificateError."""
    if set(arrays) != set(needed):
        raise CertificateError(f"the certificate must hold {sorted(needed)}, not {sorted(arrays)}")

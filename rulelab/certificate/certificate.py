"""A certificate and its file: named arrays of numbers and a small header, in a compressed npz archive."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Self

import numpy as np

from .origin import Origin, OriginError

SCHEMA = 2
"""Of the files that are written; those of schema 1, which have no origin, are read too."""
LARGEST_FILE = 1 << 31
"""Most bytes of all arrays together that `Certificate.load` unpacks."""

_HEADER = "header"
_ORIGIN = "origin"
_LARGEST_HEADER = 1 << 16
_MOST_ARRAYS = 16


class CertificateError(ValueError):
    """There is no certificate to be had, or a file is not one; the message says why."""


@dataclass(frozen=True, eq=False)
class Certificate:
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
    """

    family: str
    fingerprint: str
    parameters: Mapping[str, float]
    arrays: Mapping[str, np.ndarray] = field(repr=False)
    origin: Origin | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for array in self.arrays.values():
            array.setflags(write=False)
        object.__setattr__(self, "arrays", MappingProxyType(dict(self.arrays)))
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Certificate, (self.family, self.fingerprint, dict(self.parameters), dict(self.arrays), self.origin)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(array.nbytes for array in self.arrays.values())

    def save(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        """Write a compressed npz archive that holds numbers and text only, no pickled objects.

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
        }
        text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        arrays: dict[str, Any] = {_HEADER: text, **self.arrays}
        if self.origin is not None:
            try:
                arrays[_ORIGIN] = np.frombuffer(self.origin.dump(), dtype=np.uint8)
            except OriginError as error:
                raise CertificateError(str(error)) from None
        if isinstance(path, str | os.PathLike):
            with Path(path).open("wb") as stream:  # a path without the suffix is kept as it is
                np.savez_compressed(stream, **arrays)
        else:
            np.savez_compressed(path, **arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str] | BinaryIO) -> Self:
        """Read what `save` wrote. The file may come from anywhere: nothing in it is run.

        Raises
        ------
        CertificateError
            When the file is not a certificate of a known schema, is damaged, or is unreasonably large.
        FileNotFoundError
            When there is no such file.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                arrays = _read_arrays(archive)
        except CertificateError:
            raise
        except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError) as error:
            raise CertificateError(f"this is not a certificate, or it is damaged: {error}") from None
        if _HEADER not in arrays:
            raise CertificateError("this archive has no header: it is not a certificate")
        schema, family, fingerprint, parameters = _read_header(arrays.pop(_HEADER))
        origin = _read_origin(arrays.pop(_ORIGIN)) if schema > 1 and _ORIGIN in arrays else None
        return cls(family, fingerprint, parameters, arrays, origin)


def _read_arrays(archive: zipfile.ZipFile) -> dict[str, np.ndarray]:
    members = archive.infolist()
    names = [member.filename for member in members]
    if len(names) > _MOST_ARRAYS or len(set(names)) < len(names) or not all(n.endswith(".npy") for n in names):
        raise CertificateError("this is not a certificate: the archive must hold a few arrays, each named once")
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise CertificateError("this is not a certificate: the archive is compressed in an unknown way")
    if (size := sum(member.file_size for member in members)) > LARGEST_FILE:
        raise CertificateError(f"the arrays of this certificate take {size} bytes; at most {LARGEST_FILE} are read")
    return {member.filename.removesuffix(".npy"): _read_array(archive, member) for member in members}


def _read_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array of the archive, whose claimed shape must be what its bytes amount to."""
    name = repr(member.filename)
    with archive.open(member) as packed:
        content = packed.read(member.file_size + 1)  # with a size, no more than that is ever unpacked
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        if version != (1, 0):
            raise CertificateError(f"the array {name} of this certificate has the unknown format {version}")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    except CertificateError:
        raise
    except ValueError as error:
        raise CertificateError(f"the array {name} of this certificate is damaged: {error}") from None
    if dtype.kind not in "buif" or dtype.hasobject or fortran:
        raise CertificateError(f"the array {name} of this certificate holds {dtype}; only plain numbers are read")
    start = stream.tell()
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(content) - start:
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


def _read_header(array: np.ndarray) -> tuple[int, str, str, dict[str, float]]:
    if array.dtype != np.uint8 or array.ndim != 1 or array.size > _LARGEST_HEADER:
        raise CertificateError("the header of this certificate is not text")
    try:
        header = json.loads(array.tobytes().decode())
    except (ValueError, RecursionError) as error:
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
    for key, value in parameters.items():
        if type(value) not in (int, float) or not -sys.float_info.max <= value <= sys.float_info.max:
            raise CertificateError(f"the parameter {key!r} of this certificate is not a number")
    return header["schema"], family, fingerprint, {key: float(value) for key, value in parameters.items()}

"""What a certificate must hold, and may not: parameters and arrays, by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .certificate import CertificateError


def check_parameters(
    parameters: Mapping[str, float],
    needed: Collection[str],
    noun: str,
    optional: Collection[str] = (),
    suffix: str = "",
) -> None:
    """Refuse a certificate that does not say what it speaks of, or says what such models do not have.

    Parameters
    ----------
    parameters : mapping of str to float
    needed, optional : collection of str
        Names.
    noun : str
        Such models, in the plural.
    suffix : str
        Names that end like this are optional, too; none where it is empty.

    Raises
    ------
    CertificateError
    """
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

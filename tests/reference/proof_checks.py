"""Proofs in tests: that of a search, one that has to hold or to be refused, and one that is changed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import rulelab as rl


def proof_by(search: Any) -> tuple[Any, rl.Certificate]:
    """The best model of a search, which is solved, and the proof that it is optimal."""
    model = rl.solve(search).incumbent.model
    return model, search.certificate()


def holds(*claim: Any) -> rl.Verification:
    """What `rulelab.verify` says of a problem, a model and a proof, which proves the model optimal."""
    answer = rl.verify(*claim)
    assert answer.valid, answer.reason
    return answer


def refused(*claim: Any) -> str:
    """What `rulelab.verify` has against a problem, a model and a proof, which does not prove the model optimal."""
    answer = rl.verify(*claim)
    assert not answer
    return answer.reason


def with_arrays(certificate: rl.Certificate, **arrays: np.ndarray) -> rl.Certificate:
    """The same certificate with other arrays."""
    return replace(certificate, arrays={**certificate.arrays, **arrays})


def changed(certificate: rl.Certificate, name: str, change: Callable[[np.ndarray], Any]) -> rl.Certificate:
    """The same certificate where an array is changed: in place, or to what is returned."""
    array = certificate.arrays[name].copy()
    made = change(array)
    return with_arrays(certificate, **{name: array if made is None else made})


def put(*where_and_what: Any) -> Callable[[np.ndarray], None]:
    """A change of the number at this place, to another one or by a function."""
    *where, what = where_and_what

    def change(array: np.ndarray) -> None:
        array[tuple(where)] = what(array[tuple(where)]) if callable(what) else what

    return change


def with_parameters(certificate: rl.Certificate, **parameters: float | None) -> rl.Certificate:
    """The same certificate with other parameters, without those of None."""
    given = {name: value for name, value in {**certificate.parameters, **parameters}.items() if value is not None}
    return replace(certificate, parameters=given)

"""Small proofs of all families, every way to change one, and a judge who knows the true optimum.

Use `proof_of(name)` for proofs, `mutations(rng, proof.certificate)` for changed ones, `damaged(rng, content)` for
changed files, and `judge(proof, certificate)` and `judge_file(proof, content)`, which raise `AssertionError` when a
changed proof is accepted though what it claims is false.
"""

import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

import numpy as np
from crossed_cases import CERTIFIED, CRITERIA, Case, case_of

import rulelab as rl
from rulelab.certificate import Certificate, CertificateError, KnownSets, prove_rule_list
from rulelab.certificate.rule_list.states import States, grid, states
from rulelab.data.conditions import Condition

_ADDED = ("accuracy_tolerance", "precision_tolerance", "x_tolerance", "lower_bound")
_ODD = {"max_length": None, "regularization": (0.005, 0.02, 1 / 3)}
_FAIR = {"regularization": (0.005, 0.02)}
KINDS: dict[str, tuple[str, Mapping[str, Any], bool]] = {
    "rule list": ("rule_list", _ODD, True),
    "rule list that obeys": ("demanding", {"regularization": (0.005, 0.02)}, True),
    "fair rule list": ("fair_list", _FAIR, True),
    "fair rule list that obeys": ("fair_demanding", _FAIR, True),
    "list of predictive parity": ("value_list", _FAIR, True),
    "least gap": ("least_gap", {"max_length": (2, 3)}, False),
    "falling rule list": ("falling", {"max_length": None}, True),
    "softly falling": ("softly_falling", _ODD, True),
    "fair falling rule list": ("fair_falling", {}, True),
    **{
        f"rule set ({form}, {loss}{', fair' if fair else ''})": (
            "rule_set",
            {"form": form, "loss": loss, "fairness": tuple(CRITERIA) if fair else None},
            not fair,
        )
        for form in ("dnf", "cnf")
        for loss in ("hamming", "zero_one")
        for fair in (False, True)
        if fair or (form, loss) != ("cnf", "zero_one")  # of which no seed has whole weights
    },
    **{f"rule set that obeys ({form})": ("demanding_set", {"form": form}, True) for form in ("dnf", "cnf")},
    **{f"least gap of sets ({form})": ("least_gap_set", {"form": form}, False) for form in ("dnf", "cnf")},
}
"""By what is proven: the family of cases, what of its options is wanted, and whether its bound is proven, too."""
_FROM = {"list of predictive parity": 151}
"""By kind: the first seed that is tried, of few columns."""
_BOUND, _LEMMAS = ", bound only", " with lemmas"
NAMES = (*KINDS, *(name + _BOUND for name, kind in KINDS.items() if kind[2]), "rule list" + _LEMMAS)
_LEAST = 6
"""Entries in the arrays of a proof."""
INTERNAL = {"grid", "bound_only", "shift", "lower_bound"}
"""Parameters that say how something is proven, not what."""
_CLAIMS = INTERNAL | {
    *("min_group_size", "zero_one", "first_rule", "majority", "max_length"),
    *(f"{rate}_{of}" for rate in CERTIFIED for of in ("tolerance", "gap")),
}
"""Parameters that may be there or not, and are judged by what they claim then."""


@dataclass(frozen=True, eq=False)
class Proof:
    """A certificate that holds, and the true optimum of what a certificate speaks of, found by plain enumeration."""

    name: str
    problem: rl.Problem
    model: Any
    certificate: Certificate
    optimum: Callable[[Certificate], Fraction | None]


@cache
def proof_of(name: str, first: int = 0) -> Proof:
    """One of `NAMES`: of the first case from a seed on whose optimum has rules, and whose proof is of some length."""
    kind = name.removesuffix(_BOUND).removesuffix(_LEMMAS)
    family, asked, _ = KINDS[kind]
    for seed in count(first + _FROM.get(kind, 0)):
        case = case_of(family, seed)
        if case.rows.kind not in ("unit", "integer", "half", "zeros") or _differ(case.options, asked):
            continue
        search = case.search()
        last = rl.solve(search, work_limit=2000)
        if last.status is not rl.Status.OPTIMAL or not (len(last.incumbent.model) and last.incumbent.objective):
            continue
        with suppress(CertificateError):
            certificate = search.certificate()
            if sum(map(len, certificate.arrays.values())) < _LEAST:
                continue
            proof = Proof(name, search.problem, last.incumbent.model, certificate, _least(case))
            if name.endswith(_BOUND):
                proof = _of_bound(proof, search)
            answer = rl.verify(proof.problem, proof.model, proof.certificate)
            if answer.state != "refused":  # by a bound that is rounded
                return _with_lemmas(proof) if name.endswith(_LEMMAS) else proof
    raise AssertionError(name)


def _differ(options: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    given = {**options, "fairness": None if options.get("fairness") is None else options["fairness"][0]}
    return any(
        given.get(name) not in (value if isinstance(value, tuple) else (value,)) for name, value in asked.items()
    )


def _least(case: Case) -> Callable[[Certificate], Fraction | None]:
    """The true optimum of what a certificate speaks of; None where that is too much to enumerate."""
    known: dict[bytes, Fraction | None] = {}

    def least(certificate: Certificate) -> Fraction | None:
        key = pickle.dumps((sorted(certificate.parameters.items()), sorted(certificate.arrays.items())))
        if key not in known:
            claimed = case.claimed(certificate.parameters, certificate.arrays)
            known[key] = None if claimed is None else claimed.optimum
        return known[key]

    return least


def _of_bound(proof: Proof, search: Any) -> Proof:
    """The same proof, for the lower bound alone."""
    certificate = proof.certificate
    if certificate.family == "rule_set":
        certificate = search.certificate(bound_only=True)
    else:
        objective = rl.verify(proof.problem, proof.model, certificate).objective
        certificate = replace(certificate, parameters={**certificate.parameters, "lower_bound": objective})
    return replace(proof, certificate=certificate)


def _with_lemmas(proof: Proof) -> Proof:
    regularization = proof.certificate.parameters["regularization"]
    known = _known(proof.problem, regularization)
    certificate = prove_rule_list(proof.problem, proof.model, regularization, known)
    if "lemmas" not in certificate.arrays:
        chosen = np.arange(len(certificate.arrays["values"]))
        certificate = replace(certificate, arrays={**certificate.arrays, "lemmas": chosen})
    return replace(proof, certificate=certificate)


def _known(problem: rl.Problem, regularization: float) -> KnownSets:
    """Many sets with what they cost at least, the default rule's errors or one rule, as lemmas to choose from."""
    space: States = states(problem, grid(problem, regularization))
    n = len(space.weights)
    sets = np.array([[bool(k >> u & 1) for u in range(n)] for k in range(1, 1 << min(n, 10))], dtype=bool)
    sets = sets.reshape(len(sets), n)
    weights = sets * space.weights
    wrong = np.minimum(weights[:, : space.n_positive].sum(axis=1), weights[:, space.n_positive :].sum(axis=1))
    return known_of(space, sets, np.minimum(space.cost_of(wrong), space.per_rule))


def known_of(space: States, sets: np.ndarray, values: np.ndarray) -> KnownSets:
    """Sets of patterns of a problem, and what completing each of them costs at least."""
    net = np.where(np.arange(len(space.weights)) < space.n_positive, space.weights, -space.weights)
    return KnownSets(space.antecedents, space.inside, net, space.per_error, space.per_rule, sets, values)


# changes --------------------------------------------------------------------------------------------------------------
def mutations(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, Certificate]]:
    """Each kind of change of each array and each field once, at random places; another ``rng`` gives others."""
    for description, change in _changes(rng, certificate):
        try:
            yield description, replace(certificate, **change)
        except CertificateError:  # of another type: it cannot even be made
            continue


def class_mutations(rng: np.random.Generator, proof: Any) -> Iterator[tuple[str, Any]]:
    """The same of a proof for several classes."""
    values, sets = list(proof.values), proof.sets
    place = int(rng.integers(len(values)))
    for name, by in (("a value raised", 1), ("a value lowered", -1), ("a value doubled", values[place] or 1)):
        yield name, replace(proof, values=tuple(v + by * (k == place) for k, v in enumerate(values)))
    yield "all values raised", replace(proof, values=tuple(v + 1 for v in values))
    kept = np.arange(len(values)) != place
    yield "a set less", replace(proof, sets=sets[kept], values=tuple(np.array(values, dtype=object)[kept].tolist()))
    flipped = sets.copy()
    flipped[place, int(rng.integers(sets.shape[1]))] ^= True
    yield "another set", replace(proof, sets=flipped)
    yield "values in another order", replace(proof, values=tuple(reversed(values)))
    for times in (0.5, 0.999, 1.001, 2.0):
        yield f"the regularization times {times}", replace(proof, regularization=proof.regularization * times)
    yield "other data", replace(proof, fingerprint=proof.fingerprint[::-1])


def _changes(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, dict[str, Any]]]:
    arrays, parameters = certificate.arrays, certificate.parameters
    for name, array in arrays.items():
        for what, other in _other_arrays(rng, array):
            yield f"{name}: {what}", {"arrays": {**arrays, name: other}}
        yield f"{name}: left out", {"arrays": {k: v for k, v in arrays.items() if k != name}}
        length = max(len(each) for each in arrays.values())
        if length > 1 and len(array) == length:
            k = int(rng.integers(length))
            fewer = {key: np.delete(v, k, axis=0) if len(v) == length else v for key, v in arrays.items()}
            yield f"entry {k} of all: left out", {"arrays": fewer}
    for name in ("lemmas", "multipliers", "price", "values", "more"):
        if name not in arrays:
            yield f"{name}: added", {"arrays": {**arrays, name: np.zeros(1, dtype=np.int64)}}
    for name, value in parameters.items():
        for other in _other_numbers(value):
            yield f"{name}: {value!r} to {other!r}", {"parameters": {**parameters, name: other}}
        yield f"{name}: left out", {"parameters": {k: v for k, v in parameters.items() if k != name}}
    for name in ("price", "positive_weight", "violation_penalty", "bound_only", "grid", *_ADDED, ""):
        if name not in parameters:
            yield f"parameter {name!r}: added", {"parameters": {**parameters, name: float(rng.integers(0, 2))}}
    for least in (1.0, 3.0, float(rng.integers(2, 12)), 1e6, 0.5, -1.0):
        yield f"min_group_size: {least:g}", {"parameters": {**parameters, "min_group_size": least}}
    for family in ("rule_list", "falling_rule_list", "rule_set", "", "Rule_list"):
        if family != certificate.family:
            yield f"family: {family!r}", {"family": family}
    flipped = certificate.fingerprint.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    for fingerprint in ("", flipped, certificate.fingerprint.upper(), certificate.fingerprint + " "):
        yield f"fingerprint: {fingerprint[:8]}...", {"fingerprint": fingerprint}
    yield from _other_origins(rng, certificate)


def _other_arrays(rng: np.random.Generator, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if array.size:
        place = tuple(int(rng.integers(n)) for n in array.shape)
        old, donor = array[place].item(), array.ravel()[rng.integers(array.size)].item()
        others: list[Any] = [old + 1, old - 1, old * 2, -old, 0, 1, donor, old + int(rng.integers(2, 1000))]
        if array.dtype.kind == "f":
            others += [np.nan, np.inf, -np.inf, -0.0, float(np.nextafter(old, 9e9)), 1e300, 5e-324]
        elif array.dtype == np.uint8:
            others = [old ^ (1 << int(rng.integers(8))), 255 - old, 0, 255, donor]
        else:
            others += [2**63 - 1, -(2**63), 2**61, 2**31]
        for other in others:
            changed = array.copy()
            with suppress(OverflowError):
                changed[place] = other
            if not _same(changed, array):
                yield f"{old!r} at {place} to {other!r}", changed
    for what, changed in (
        ("reversed", array[::-1].copy()),
        ("the last one left out", array[:-1].copy()),
        ("the first one left out", array[1:].copy()),
        ("the last one twice", np.concatenate([array, array[-1:]])),
        ("in another order", rng.permutation(array.copy())),
        ("all 0", np.zeros_like(array)),
        ("empty", array[:0].copy()),
        ("as a row", array.reshape(1, -1).copy()),
        ("flat", array.ravel().copy()),
        ("with an axis", array[..., None].copy()),
        ("as floats", array.astype(np.float32)),
        ("as short integers", _short(array)),
        ("of the other byte order", array.astype(array.dtype.newbyteorder("S"))),
        ("as Booleans", array.astype(bool)),
    ):
        if not _same(changed, array):
            yield what, changed


def _other_numbers(value: float) -> list[float]:
    others = [value + 1, value - 1, value * 2, value / 2, -value, 0.0, -0.0, 0.5, 1.0, 1e300, 1e308, 5e-324, 2.0**53]
    others += [np.nan, np.inf, -np.inf, float(np.nextafter(value, 9e9)), float(np.nextafter(value, -1))]
    return [other for other in others if repr(other) != repr(value)]


def _other_origins(rng: np.random.Generator, certificate: Certificate) -> Iterator[tuple[str, dict[str, Any]]]:
    origin = certificate.origin
    yield "origin: left out", {"origin": None}
    if origin is None:
        return
    k = int(rng.integers(len(origin.names)))
    for condition in (Condition("other", "==", True), Condition(origin.conditions[k][0].column, "==", False)):
        if str(condition) not in origin.names:
            conditions = (*origin.conditions[:k], (condition,), *origin.conditions[k + 1 :])
            names = (*origin.names[:k], str(condition), *origin.names[k + 1 :])
            yield f"origin: {condition}", {"origin": replace(origin, conditions=conditions, names=names)}
    fewer = replace(origin, conditions=origin.conditions[1:], names=origin.names[1:])
    turned = replace(origin, conditions=origin.conditions[::-1], names=origin.names[::-1])
    yield "origin: one less", {"origin": fewer}
    yield "origin: reversed", {"origin": turned}
    yield "origin: classes", {"origin": replace(origin, classes=origin.classes[::-1])}
    yield "origin: other classes", {"origin": replace(origin, classes=("no", "yes"))}
    yield "origin: number", {"origin": replace(origin, names=(f"{origin.names[0]} (2)", *origin.names[1:]))}


def _short(array: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(array).astype(np.int32)


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def damaged(rng: np.random.Generator, content: bytes) -> Iterator[tuple[str, bytes]]:
    """A file with its bytes changed in different ways, at random places."""
    n = len(content)
    i, j = sorted(rng.integers(0, n, 2).tolist())
    k = int(rng.integers(8))
    yield f"bit {k} of byte {i}", content[:i] + bytes([content[i] ^ 1 << k]) + content[i + 1 :]
    yield f"byte {i} to 0", content[:i] + b"\0" + content[i + 1 :]
    yield f"cut at {i}", content[:i]
    yield f"begun at {i}", content[i:]
    yield f"{i} to {j} left out", content[:i] + content[j:]
    yield f"{i} to {j} twice", content[:j] + content[i:]
    yield f"{i} to {j} zeros", content[:i] + bytes(j - i) + content[j:]
    yield f"{i} to {j} random", content[:i] + rng.bytes(j - i) + content[j:]
    yield "something before", rng.bytes(20) + content
    yield "something after", content + rng.bytes(20)
    yield "twice", content + content
    yield "near the end", content[: n - 80] + rng.bytes(int(rng.integers(1, 9))) + content[n - 72 :]


# the judge ------------------------------------------------------------------------------------------------------------
def judge(proof: Proof, changed: Certificate) -> str:
    """What a check makes of a changed proof: "refused", "bound", "same claim" or "another true claim".

    Raises
    ------
    AssertionError
        When something false is accepted, or something that nothing checks.
    """
    answer = rl.verify(proof.problem, proof.model, changed)
    assert answer.reason, "no reason is given"
    assert answer.valid == (answer.state == "optimal")
    assert dict(answer.parameters) == dict(changed.parameters) or answer.state == "refused"
    if answer.state == "refused":
        return "refused"
    assert (changed.family, changed.fingerprint) == (proof.certificate.family, proof.certificate.fingerprint)
    assert not set(changed.parameters) - set(proof.certificate.parameters) - _CLAIMS, "unknown parameters"
    assert set(proof.certificate.parameters) - set(changed.parameters) <= _CLAIMS, "parameters that are left out"
    assert set(changed.arrays) <= {"lemmas", *proof.certificate.arrays}, "unknown arrays"
    assert changed.origin in (None, proof.certificate.origin), "another origin"
    least = proof.optimum(changed)
    assert least is None or answer.lower_bound <= float(least), f"the bound {answer.lower_bound} exceeds {least}"
    if answer.state == "bound":
        return "bound"
    assert answer.objective == answer.lower_bound
    if least is not None:
        assert answer.objective == float(least), f"{answer.objective} is accepted, but {float(least)} is the optimum"
    before, after = (
        {k: v for k, v in each.parameters.items() if k not in INTERNAL} for each in (proof.certificate, changed)
    )
    return "same claim" if before == after else "another true claim"


def judge_file(proof: Proof, content: bytes) -> str:
    """As `judge`, of a changed file; "unreadable" when it is refused as a file."""
    try:
        changed = Certificate.load(io.BytesIO(content))
    except CertificateError:
        return "unreadable"
    return judge(proof, changed)

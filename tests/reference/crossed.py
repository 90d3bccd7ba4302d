"""What every solve of a small case must keep, judged by exact numbers: its findings are empty when it does."""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from crossed_cases import Case, exact
from proof_mutations import class_mutations, mutations
from random_problems import in_order, permuted, repeated, scaled

import rulelab as rl
from rulelab.multiclass import MultiClassCertificate
from rulelab.snapshot import Snapshot, Status
from rulelab.stepping import Search

_TINY = Fraction(1, 10**12)
_WORK = 200_000
_STEPS = (None, 1, 7, 64)
_WHOLE = ("unit", "integer", "half", "zeros")
"""Weights whose sums are the same in whatever order they are added up."""
_REFUSALS = ("do not fit; give it fewer digits", "too large to be counted together")
"""Of values that no engine can count with: said when the search is made, or begins."""


class Outcome(NamedTuple):
    """What came of a case.

    findings : what is wrong, in a line each
    notes : models of list engines that are as good as the optimum only up to the search's stated resolution
    status : how the search ended, or the limit that ended it
    proofs : certificates that were made and accepted
    mutants : wrong certificates that were tried
    """

    findings: list[str]
    notes: list[str]
    status: str
    proofs: int = 0
    mutants: int = 0


def outcome(case: Case, mutate: bool = False) -> Outcome:
    """Solve a case, and a variant of it, and tell what is wrong; ``mutate``: check changed proofs, too."""
    judge = Judge(case, mutate)
    judge.run()
    variant = VARIANTS[case.seed // 3 % len(VARIANTS)]
    other = [f"{variant.__doc__} {text}" for text in variant(case)]
    return judge.outcome(other)


class Judge:
    """Solves a case and checks every state on the way and the end against the naive optimum."""

    def __init__(self, case: Case, mutate: bool = False) -> None:
        self.case, self.mutate = case, mutate
        self.found: list[str] = []
        self.notes: list[str] = []
        self.optimum = case.optimum
        self.status = "refused"
        self.proofs = self.mutants = 0
        self.last_judged: tuple[Any, Fraction] | None = None

    def run(self) -> list[str]:
        """What is wrong, each once."""
        case = self.case
        work_per_step = _STEPS[case.seed % len(_STEPS)]
        try:
            search, bound = case.search(), 0.0
            for snapshot in search.steps(work_per_step, work_limit=_WORK):
                self.look_at(snapshot)
                if snapshot.lower_bound < bound:
                    self.say(f"the lower bound falls from {bound!r} to {snapshot.lower_bound!r}")
                bound = snapshot.lower_bound
            self.judge_end(snapshot)
            self.judge_proof(search, snapshot)
        except Exception as error:  # noqa: BLE001 - whatever an engine raises is a finding
            if not any(text in str(error) for text in _REFUSALS):
                self.say(f"{type(error).__name__}: {error}")
        return list(dict.fromkeys(self.found))

    def outcome(self, further: Sequence[str] = ()) -> Outcome:
        """All that was found, with what others found."""
        found = [*dict.fromkeys(self.found), *further]
        return Outcome(found, self.notes, self.status, self.proofs, self.mutants)

    def say(self, text: str) -> None:
        self.found.append(text)

    def near(self, x: float, y: Fraction) -> bool:
        return abs(Fraction(x) - y) <= _TINY * abs(y)

    def value_of(self, model: Any) -> Fraction:
        """The model's exact objective; it is judged when it is first seen."""
        if self.last_judged is None or self.last_judged[0] is not model:
            self.last_judged = model, self.case.objective(model)
            reason = self.case.refused(model)
            if reason is not None:
                self.say(f"an incumbent {reason}")
        return self.last_judged[1]

    def look_at(self, snapshot: Snapshot) -> None:
        optimum, incumbent = self.optimum, snapshot.incumbent
        bound = snapshot.lower_bound
        if optimum is not None and Fraction(bound) > optimum + _TINY * abs(optimum):
            self.say(f"lower bound {bound!r} above the optimum {float(optimum)!r} in a state {snapshot.status}")
        if incumbent is not None:
            value = self.value_of(incumbent.model)
            if not self.near(incumbent.objective, value):
                self.say(f"the objective is shown as {incumbent.objective!r}, but is {float(value)!r}")
            if optimum is None:
                self.say("there is an incumbent, but no model is feasible")

    def judge_end(self, last: Snapshot) -> None:
        optimum, status = self.optimum, last.status
        self.status = last.limit or status.value
        if status is Status.INFEASIBLE:
            if optimum is not None:
                self.say(f"INFEASIBLE, but {float(optimum)!r} can be had")
        elif status is Status.RUNNING:
            self.say("the steps ended with the status RUNNING")
        elif status is Status.OPTIMAL:
            self.judge_optimum(last)
        else:
            if last.limit not in ("exactness", "columns"):
                self.say(f"stopped by the limit {last.limit!r} after {last.work} units of work")
            if last.incumbent is not None and optimum is not None:
                least = Fraction(last.incumbent.objective) - Fraction(last.gap)
                if least > optimum + _TINY * abs(optimum):
                    self.say(f"objective - gap is {float(least)!r}, above the optimum {float(optimum)!r}")
                if last.limit == "exactness" and not last.gap > 0:
                    self.say("the limit is exactness, but the gap is not above 0")

    def judge_optimum(self, last: Snapshot) -> None:
        if self.optimum is None:
            self.say("OPTIMAL, but no model is feasible")
            return
        if last.gap != 0:
            self.say(f"OPTIMAL with a gap of {last.gap!r}")
        assert last.incumbent is not None
        value = self.value_of(last.incumbent.model)
        excess, resolution = value - self.optimum, Fraction(last.detail.get("resolution", 0.0))
        if excess == 0:
            return
        shown = f"{float(value)!r} is not the optimum {float(self.optimum)!r} (by {float(excess):.2g})"
        if excess < 0:
            self.say(f"OPTIMAL: {shown}; the model is not one of those allowed")
        elif excess > resolution or excess > value * Fraction(1, 10**8):
            self.say(f"OPTIMAL, but {shown}; the resolution is {float(resolution):.2g}")
        elif self.case.family.endswith("set"):
            self.say(f"OPTIMAL within the resolution of the grid only: {shown}")
        else:
            self.notes.append(shown)

    def judge_proof(self, search: Search, last: Snapshot) -> None:
        """What is optimal has a proof, of the rows in any order; what is not has none, but for what is rounded."""
        case, proven = self.case, last.status is Status.OPTIMAL
        try:
            certificate = search.certificate()
        except rl.errors.CertificateError as error:
            if proven and case.rows.kind != "tiny" and "max_length" not in str(error):
                self.say(f"what is optimal has no proof: {error}")
            return
        if not proven and last.limit != "exactness":
            self.say("what is not optimal has a proof")
            return
        assert last.incumbent is not None
        model = last.incumbent.model
        self.proofs += 1
        self.judge_mutants(search.problem, model, certificate)
        answer = _checked(search.problem, model, certificate)
        if not answer.valid:
            self.say(f"the proof is refused: {answer.reason}")
        elif self.optimum is not None and Fraction(answer.lower_bound) > self.optimum + _TINY * abs(self.optimum):
            self.say(f"a proof of {answer.lower_bound!r} is accepted, the optimum is {float(self.optimum)!r}")
        elif not self.near(answer.objective, value := self.value_of(model)):
            self.say(f"a proof of the objective {answer.objective!r} is accepted, it is {float(value)!r}")
        elif proven and case.rows.kind in _WHOLE and (answer.objective != answer.lower_bound or answer.resolution):
            self.say(f"a proof of {answer.objective!r} is up to {answer.resolution!r}")
        order = np.random.default_rng(case.seed).permutation(len(case.rows.y))
        again = _checked(case.with_rows(in_order(case.rows, order)).problem(), model, certificate)
        if not again.valid:
            self.say(f"the proof is refused of the rows in another order: {again.reason}")

    def judge_mutants(self, problem: Any, model: Any, certificate: Any) -> None:
        """Changed proofs: one that is accepted must still be right."""
        if not self.mutate:
            return
        changed = class_mutations if isinstance(certificate, MultiClassCertificate) else mutations
        for name, mutant in changed(np.random.default_rng(self.case.seed), certificate):
            self.mutants += 1
            answer = _checked(problem, model, mutant)
            if answer.state == "refused":
                continue
            claimed = self.case.claimed(answer.parameters, getattr(mutant, "arrays", {}))
            if claimed is None:
                continue
            value, optimum = claimed.objective(model), claimed.optimum
            if optimum is None or (answer.valid and claimed.refused(model)):
                self.say(f"a changed proof ({name}) is accepted for a model that is not allowed")
            elif answer.valid and value > optimum + Fraction(answer.resolution or 0.0):
                self.say(f"a changed proof ({name}) of {float(value)!r} is accepted, {float(optimum)!r} can be had")
            elif Fraction(answer.lower_bound) > optimum + _TINY * abs(optimum):
                self.say(f"a changed proof ({name}) of the bound {answer.lower_bound!r} is accepted, above the optimum")


def _checked(problem: Any, model: Any, certificate: Any) -> rl.results.Verification:
    """What the proof's own check says; proofs of several classes bring theirs."""
    own = isinstance(certificate, MultiClassCertificate)
    return certificate.check(problem, model) if own else rl.verify(problem, model, certificate)


def _judged(case: Case) -> list[str]:
    return Judge(case).run()


def _ends(search: Search, work_per_step: int | None) -> tuple[Any, ...]:
    last = rl.solve(search, work_per_step=work_per_step, work_limit=_WORK)
    best = last.incumbent
    shown = None if best is None else (best.objective, best.errors, best.complexity, best.model)
    return last.status, last.lower_bound, last.work, shown


def _tried(call: Any) -> tuple[Any, ...]:
    """How a search ends, or what it raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared, and found by the judge
        return type(error), str(error)


def _sliced(case: Case) -> list[str]:
    """Slicing the work never changes the result."""
    whole = _tried(lambda: _ends(case.search(), None))
    for size in (1, 7):
        parts = _tried(lambda size=size: _ends(case.search(), size))
        if parts != whole:
            return [f"work_per_step={size} ends with {parts[:3]}, the default with {whole[:3]}"]
    return []


def _pickled(case: Case) -> list[str]:
    """A search that was pickled half-way ends as it would have."""

    def in_two() -> tuple[Any, ...]:
        search = case.search()
        for count, _ in enumerate(search.steps(1, work_limit=_WORK)):
            if count == 3 + case.seed % 5:
                break
        return _ends(pickle.loads(pickle.dumps(search)), 1)

    whole, parts = _tried(lambda: _ends(case.search(), 1)), _tried(in_two)
    return [] if parts == whole else [f"ends with {parts[:3]}, without pickling with {whole[:3]}"]


def _repeated(case: Case) -> list[str]:
    """Whole weights count as repeated rows, but not where groups need so many rows."""
    if case.options.get("min_group_size") or not case.rows.integral or case.rows.weight.sum() > 500:
        return _permuted(case)
    other = case.with_rows(repeated(case.rows))
    assert other.optimum == case.optimum, "the naive reference is wrong"
    return _judged(other)


def _scaled(case: Case) -> list[str]:
    """Twice or three times the weights change nothing but the scale."""
    factor = 3 if case.rows.integral and case.seed % 2 else 2
    options, multiple = case.options, 1
    if case.family in ("rule_set", "demanding_set"):
        multiple = factor
        penalty = exact(options["regularization"]) * factor
        options = options | {"regularization": float(penalty)}
        if exact(options["regularization"]) != penalty:
            return _permuted(case)
    other = replace(case.with_rows(scaled(case.rows, factor)), options=options)
    assert other.optimum == (None if case.optimum is None else case.optimum * multiple), "the naive reference is wrong"
    return _judged(other)


def _permuted(case: Case) -> list[str]:
    """The order of rows and columns does not matter."""
    if case.family in ("demanding", "demanding_set", "fair_demanding"):  # whose names are places of columns
        return []
    other = case.with_rows(permuted(case.rows, np.random.default_rng(case.seed)))
    assert other.optimum == case.optimum, "the naive reference is wrong"
    return _judged(other)


def _other_bounds(case: Case) -> list[str]:
    """No bound changes the optimum."""
    if case.options.get("bounds") is None:
        return _permuted(case)
    return _judged(replace(case, options=case.options | {"bounds": None}))


VARIANTS = (_sliced, _pickled, _repeated, _scaled, _permuted, _other_bounds)

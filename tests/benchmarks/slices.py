"""The longest unit of work of every search on wide tables: how long a stop, a limit or Ctrl-C may have to wait.

Searches are driven by ``advance(1)``. Proofs, mining and whole grids have no units to drive: of them, the longest time
without an answer to a signal is shown, in the phase "signals", and for what takes a time limit by how much it is
exceeded, in the phase "time limit".
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from _measure import Table, parser, use_shared_data

import rulelab as rl
from rulelab.certificate import CertificateError
from rulelab.limits import MEMORY_LIMIT
from rulelab.rehearsal import noisy_problem

COLUMNS = (
    ("case", -20, ""),
    ("data", -14, ""),
    ("rows", 6, "d"),
    ("choices", 7, "d"),
    ("units", 7, "d"),
    ("longest s", 9, ".3f"),
    ("CPU s", 6, ".3f"),
    ("99 % s", 6, ".3f"),
    ("beyond", 6, "d"),
    ("unit", 7, "d"),
    ("phase", -10, ""),
    ("longest call in", -40, ""),
)
MOST = 0.5
"""Seconds that a unit may take, about."""

PACKAGE = str(Path(rl.__file__).parent)
TICK = 0.01

SETS: dict[str, dict[str, Any]] = {
    "set": {},
    "set, C 5": {"max_complexity": 5},
    "set, D 4": {"max_conditions": 4},
    "set, cnf": {"form": "cnf"},
    "set, zero-one": {"loss": "zero_one"},
    "set, weights": {},
    "set, opportunity": {"fairness": rl.EqualOpportunity(0.02)},
    "set, odds": {"fairness": rl.EqualizedOdds(0.02, 0.02)},
    "set, equal odds": {"fairness": rl.EqualizedOdds(0.0, 0.0)},
    "set, parity": {"fairness": rl.DemographicParity(0.02)},
}
LIMIT: dict[str, Any] = {"memory_limit": MEMORY_LIMIT}
LISTS: dict[str, Callable[[rl.Problem], Any]] = {
    "list": lambda problem: rl.search_for(problem, regularization=0.001, **LIMIT),
    "list, no beam": lambda problem: rl.search_for(problem, regularization=0.001, beam_width=0, **LIMIT),
    "list, curiosity": lambda problem: rl.search_for(
        problem, regularization=0.001, policy="curiosity", beam_width=0, **LIMIT
    ),
    "corels": lambda problem: rl.CorelsSearch(problem, 0.001, **LIMIT),
    "frontier": lambda problem: rl.FrontierSearch(problem, 8, **LIMIT),
    "frontier, no beam": lambda problem: rl.FrontierSearch(problem, 8, beam_width=0, **LIMIT),
    "near-optimal": lambda problem: rl.NearOptimalSearch(problem, 0.05, ratio=0.1, **LIMIT),
    "near-optimal, counted": lambda problem: rl.NearOptimalCounter(problem, 0.05, ratio=0.1, **LIMIT),
    "falling": lambda problem: rl.search_for(
        problem, "falling_rule_list", regularization=0.001, random_state=0, **LIMIT
    ),
    "falling, weight 5": lambda problem: rl.search_for(
        problem, "falling_rule_list", regularization=0.001, positive_weight=5.0, random_state=0, **LIMIT
    ),
    "softly falling": lambda problem: rl.search_for(
        problem, "falling_rule_list", regularization=0.001, violation_penalty=0.1, **LIMIT
    ),
    "monte carlo": lambda problem: rl.search_for(
        problem, "falling_rule_list", regularization=0.001, method="monte_carlo", random_state=0
    ),
}
SET_DATA = ("adult", "bank_marketing", "default", "magic", "musk", "breast_cancer")
LIST_DATA = ("adult", "breast_cancer", "compas", "diabetes", "magic")
GROUPS = {"adult": "sex", "default": "SEX", "compas": "sex"}


class Unit(NamedTuple):
    """One unit of work: wall-clock and CPU seconds, its phase, and where the longest call in it was."""

    seconds: float
    cpu: float
    phase: str
    where: str


class Answers:
    """How long signals have to wait for an answer, and what they wait for."""

    def __init__(self) -> None:
        self.longest, self.where, self._last = 0.0, "", time.perf_counter()

    def reset(self) -> None:
        self.__init__()  # type: ignore[misc]

    def note(self, _: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        now = time.perf_counter()
        if now - self._last > self.longest:
            while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
                frame = frame.f_back
            code = None if frame is None else frame.f_code
            file = "" if code is None else code.co_filename.removeprefix(PACKAGE + "/").removesuffix(".py")
            self.longest = now - self._last
            self.where = "" if code is None or frame is None else f"{file}:{frame.f_lineno} {code.co_name}"
        self._last = now


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a unit took several times as long as it may."""
    options = parser("slices", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="CASE", help="such as corels or corels:adult; default: all")
    options.add_argument("--list", action="store_true", help="only name the cases")
    options.add_argument("--seconds", type=float, default=10.0, metavar="S", help="of each search (%(default)g)")
    args = options.parse_args(argv)
    use_shared_data()
    chosen = [case for case in cases() if not args.names or {case[0], f"{case[0]}:{case[1]}"} & set(args.names)]
    if args.list or not chosen:
        print("\n".join(f"{kind}:{data}" for kind, data, _, _ in (chosen if chosen else cases())))
        return 0 if chosen else 2
    _warm_up({kind for kind, *_ in chosen})
    table = Table(COLUMNS)
    with answering() as answers:
        for kind, name, problem, units in chosen:
            try:
                made = problem()
            except rl.datasets.DatasetError as error:
                print(f"{name} is left out: {error}")
                continue
            _show(table, kind, name, made, list(units(made, answers, args.seconds)))
    table.save(args.json)
    return int(any(row["CPU s"] > 4 * MOST for row in table.rows))


def cases() -> Iterator[tuple[str, str, Callable[[], rl.Problem], Callable[..., Iterator[Unit]]]]:
    """What is driven: kind, data set, how its problem is made, and its units."""
    for kind, parameters in SETS.items():
        for name in SET_DATA if not parameters else SET_DATA[:5]:
            problem = partial(conditions, name, weights="weights" in kind)
            if "fairness" not in parameters or name in GROUPS:
                yield kind, name, problem, partial(_driven, partial(_set_search, parameters))
    for kind, make in LISTS.items():
        for name in LIST_DATA:
            yield kind, name, partial(conjunctions, name), partial(_driven, make)
    for name in GROUPS:
        yield "fair frontier", name, partial(conditions, name), _fair_frontier
    for kind, build in (("list", _list_proof), ("falling", _falling_proof), ("set", _set_proof)):
        for name in ("compas", "transfusion", "heart"):
            of = conditions if kind == "set" else conjunctions
            yield f"proof, {kind}", name, partial(of, name), partial(_answering, build)
    for name in (*SET_DATA, "diabetes"):
        yield "mining", name, partial(conditions, name), partial(_answering, partial(_mining, name))


@cache
def _table(name: str) -> tuple[rl.datasets.Dataset, Any]:
    data = rl.datasets.load(name, download=False)
    return data, rl.Binarizer(thresholds=10, negations=True).fit_transform(data.X)


@cache
def conditions(name: str, weights: bool = False) -> rl.Problem:
    """Deciles both ways and categories with their negations; two groups where there are any."""
    data, B = _table(name)
    groups = None
    if name in GROUPS:
        groups = data.sensitive[GROUPS[name]]  # type: ignore[index]
    weight = np.random.default_rng(0).random(len(B)) + 0.01 if weights else None
    return rl.Problem.from_arrays(B, data.y, sample_weight=weight, groups=groups)


@cache
def conjunctions(name: str) -> rl.Problem:
    """All conjunctions of one or two of these conditions, however many."""
    data, B = _table(name)
    return rl.Problem.from_antecedents(rl.mine_antecedents(B, 2, 0.01, 0.99), data.y)


@contextmanager
def answering() -> Iterator[Answers]:
    """A signal every few milliseconds, where the system has such."""
    answers = Answers()
    if not hasattr(signal, "setitimer"):
        yield answers
        return
    before = signal.signal(signal.SIGALRM, answers.note)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield answers
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _timed(run: Callable[[], Any], answers: Answers) -> tuple[Any, Unit]:
    answers.reset()
    cpu, wall = time.thread_time(), time.perf_counter()
    result = run()
    wall, cpu = time.perf_counter() - wall, time.thread_time() - cpu
    return result, Unit(wall, cpu, "", answers.where)


def _driven(make: Callable[[rl.Problem], Any], problem: rl.Problem, answers: Answers, most: float) -> Iterator[Unit]:
    """Units of work of one search, each by a call of its own; its making is the first."""
    search, unit = _timed(lambda: make(problem), answers)
    yield unit._replace(phase="making")
    phase, end = "reducing", time.perf_counter() + most
    while time.perf_counter() < end:
        state, unit = _timed(lambda: search.advance(1), answers)
        yield unit._replace(phase=phase)
        phase = state.phase
        if phase == "finished" or getattr(state, "status", rl.Status.RUNNING) is not rl.Status.RUNNING:
            return


def _set_search(parameters: dict[str, Any], problem: rl.Problem) -> rl.RuleSetSearch:
    return rl.RuleSetSearch(problem, **{"max_complexity": 40, **LIMIT, **parameters})


def _fair_frontier(problem: rl.Problem, answers: Answers, most: float) -> Iterator[Unit]:
    for limit in (most / 4, most / 2, most):
        front = rl.frontier(problem, "tolerance", "rule_set", tolerances=[0.0, 0.05, 1.0], complexities=[5, 20, 40])
        _, unit = _timed(partial(rl.solve, front, time_limit=limit), answers)
        yield unit._replace(seconds=unit.seconds - limit, cpu=max(0.0, unit.cpu - limit), phase="time limit")


def _answering(
    build: Callable[[rl.Problem, float], Callable[[], Any]], problem: rl.Problem, answers: Answers, most: float
) -> Iterator[Unit]:
    for run in build(problem, most):
        _, unit = _timed(run, answers)
        yield unit._replace(seconds=answers.longest, cpu=answers.longest, phase="signals")


def _list_proof(problem: rl.Problem, most: float) -> list[Callable[[], Any]]:
    return _proof(rl.RuleListSearch(problem, 0.02), problem, most)


def _falling_proof(problem: rl.Problem, most: float) -> list[Callable[[], Any]]:
    return _proof(rl.FallingRuleListSearch(problem, 0.02, random_state=0), problem, most)


def _set_proof(problem: rl.Problem, most: float) -> list[Callable[[], Any]]:
    return _proof(rl.RuleSetSearch(problem, 10), problem, most, bound_only=True)


def _proof(search: Any, problem: rl.Problem, most: float, **options: Any) -> list[Callable[[], Any]]:
    """The making of a proof and its check, of a search that ended within the time."""
    model = rl.solve(search, time_limit=most).incumbent.model
    made: list[Any] = []

    def make() -> None:
        try:
            made.append(search.certificate(**options))
        except CertificateError as error:
            print(f"no proof: {error}")

    return [make, lambda: [rl.verify(problem, model, proof) for proof in made]]


def _mining(name: str, problem: rl.Problem, most: float) -> list[Callable[[], Any]]:
    def mine() -> None:
        try:
            rl.mine_antecedents(_table(name)[1], 3, 0.01, 0.99, max_antecedents=3_000_000)
        except ValueError as error:
            print(f"{name}: {error}")

    return [mine]


def _warm_up(kinds: set[str]) -> None:
    """Compile, or load, what the cases come to use."""
    small = noisy_problem()
    for kind in kinds:
        if kind in LISTS or kind in SETS:
            search = LISTS[kind](small) if kind in LISTS else rl.RuleSetSearch(small, 10)
            search.compile()
            for _ in range(200):
                search.advance(1)
        elif kind.startswith("proof"):
            for other in (rl.RuleListSearch(small, 0.1), rl.FallingRuleListSearch(small, 0.1), rl.RuleSetSearch(small)):
                model = rl.solve(other, time_limit=20).incumbent.model
                if other.advance(1).status is rl.Status.OPTIMAL:
                    rl.verify(small, model, other.certificate())
        elif kind != "mining":
            rl.RuleSetSearch(small).compile()


def _show(table: Table, kind: str, name: str, problem: rl.Problem, units: list[Unit]) -> None:
    longest = max(range(len(units)), key=lambda k: units[k].cpu)
    unit = units[longest]
    table.add(
        kind,
        name,
        problem.n_rows,
        problem.n_antecedents,
        len(units),
        unit.seconds,
        unit.cpu,
        float(np.quantile([other.cpu for other in units], 0.99)),
        sum(other.cpu > MOST for other in units),
        longest,
        unit.phase,
        unit.where,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

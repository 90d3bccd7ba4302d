"""``rulelab fit``: a table in, a certified rule list out, the search's progress in between."""

from __future__ import annotations

import argparse
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cli_verify import is_data_set, labels
from .console import CommandError, one_line, say, table

if TYPE_CHECKING:
    from .datasets import Dataset
    from .models import RuleList
    from .rule_list import RuleListSearch
    from .search import Incumbent, Snapshot

_REFRESH_SECONDS = 0.25
_LOG_SECONDS = 5.0


def fit(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    output = None if args.output is None else _writable(args.output)
    proof = None if args.proof is None else _writable(args.proof)
    if proof is not None and args.max_length is not None:
        raise CommandError("--proof proves a list optimal among lists of any length: leave --max-length out")
    if proof is not None and proof == output:
        raise CommandError(f"the model and the proof cannot both be written to {proof}")
    report = _unheard if args.quiet else say
    try:
        data = _read(args)
        search = _new_search(args, data, report)
    except ValueError as error:
        raise CommandError(error) from error
    if not search.compiled:
        report("loading the compiled search (the first time on a machine it is compiled, which takes some seconds)")
    progress = None if args.quiet else _Progress()
    with _interruptible() as interrupted:
        for snapshot in search.steps(time_limit=args.time_limit, gap=args.gap):
            if progress:
                progress.show(snapshot)
            if interrupted:
                break
    if progress:
        progress.end(snapshot)
    found = _incumbent(snapshot).model
    model = _labelled(found, data)
    print(model.to_text(data.target), _verdict(snapshot, found, args.regularization, bool(interrupted)), sep="\n\n")
    if data.sensitive is not None:
        print("", _rates(found, data), sep="\n")
    if output is not None:
        try:
            model.to_json(output)
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}", 1) from error
        report(f"saved {output}")
    if proof is not None:
        _save_proof(proof, search, data, report)
    return 0


def _save_proof(path: Path, search: RuleListSearch, data: Dataset, report: Callable[[str], None]) -> None:
    """Save the proof with what it takes to check it on the data file, which is tried."""
    from .certificate import CertificateError, OriginError

    report("making the proof")
    started = time.perf_counter()
    try:
        certificate = search.certificate()
        assert certificate.origin is not None  # the antecedents were mined from a table
        origin = replace(certificate.origin, classes=labels(data), target=data.target)
        problem = origin.problem(data.X, data.y)
        if problem.fingerprint != replace(search.problem, classes=origin.classes).fingerprint:
            raise CertificateError("the conditions of the antecedents do not give the same rows on the raw columns")
        certificate = replace(certificate, fingerprint=problem.fingerprint, origin=origin)
        certificate.save(path)
    except (CertificateError, OriginError) as error:
        raise CommandError(f"no proof is saved: {error}", 1) from error
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}", 1) from error
    sets, seconds = len(certificate.arrays["values"]), time.perf_counter() - started
    report(f"saved {path}: {sets} sets, {path.stat().st_size} bytes, made in {seconds:.2f} s")


def _unheard(text: str) -> None:
    """Say nothing."""


def _incumbent(snapshot: Snapshot) -> Incumbent:
    assert snapshot.incumbent is not None  # rule list searches start with the default list
    return snapshot.incumbent


def _writable(output: str) -> Path:
    """The path, checked before time is spent on what is to be saved there."""
    path = Path(output)
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file to write")
    if not path.parent.is_dir():
        raise CommandError(f"there is no folder {path.parent} to write {path.name} into")
    return path


def _read(args: argparse.Namespace) -> Dataset:
    from . import datasets

    if is_data_set(args.data):
        if args.target is not None or args.positive is not None or args.sensitive:
            raise CommandError(f"{args.data} is a known data set: leave --target, --positive and --sensitive out")
        data = datasets.load(args.data, keep_sensitive=args.keep_sensitive or None)
    else:
        if args.target is None:
            raise CommandError("--target is missing: the name of the column to predict")
        data = datasets.read(args.data, args.target, args.positive, args.sensitive, keep_sensitive=args.keep_sensitive)
    unknown = [column for column in args.leave_out if column not in data.X.columns]
    if unknown:
        raise CommandError(f"--leave-out: there is no feature {unknown[0]!r} in {args.data}")
    return replace(data, X=data.X.drop(columns=args.leave_out)) if args.leave_out else data


def _new_search(args: argparse.Namespace, data: Dataset, report: Callable[[str], None]) -> RuleListSearch:
    from .antecedents import mine_antecedents
    from .binarize import Binarizer
    from .problem import Problem
    from .rule_list import RuleListSearch

    binarizer = Binarizer(args.thresholds, args.negations, args.max_categories)
    conditions = binarizer.fit_transform(data.X)
    antecedents = mine_antecedents(conditions, args.max_conditions, args.min_support, args.max_support)
    problem = Problem.from_antecedents(antecedents, data.y)
    search = RuleListSearch(
        problem,
        regularization=args.regularization,
        policy=args.policy,
        max_length=args.max_length,
        memory_limit=args.memory_limit,
        random_state=args.random_state,
        beam_width=args.beam_width,
    )
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {problem.total_positive} of class "
        f"{one_line(str(data.positive))}; {conditions.shape[1]} conditions, {len(antecedents)} antecedents"
    )
    return search


def _labelled(model: RuleList, data: Dataset) -> RuleList:
    """The same list, predicting the labels of the file instead of 0 and 1."""
    classes = labels(data)
    rules = [replace(rule, prediction=classes[rule.prediction]) for rule in (*model.rules, model.default)]
    return replace(model, rules=tuple(rules[:-1]), default=rules[-1], classes=classes)


def _verdict(snapshot: Snapshot, model: RuleList, regularization: float, interrupted: bool) -> str:
    from .search import Status

    incumbent = _incumbent(snapshot)
    rules = "1 rule" if incumbent.complexity == 1 else f"{incumbent.complexity} rules"
    parts = f"{incumbent.errors} errors / {model.weight} rows + {regularization:g} x {rules}"
    work = f"{snapshot.seconds:.2f} s, {snapshot.counts['stored']} captured sets stored"
    if snapshot.status is Status.OPTIMAL:
        return f"certified optimal: objective {incumbent.objective:.7f} = {parts}\n{work}"
    why = f"{snapshot.limit} limit reached" if snapshot.status is Status.LIMIT else "interrupted" if interrupted else ""
    return (
        f"not certified ({why}): objective {incumbent.objective:.7f} = {parts}\n"
        f"no list is below {snapshot.lower_bound:.7f}: the gap is {snapshot.gap:.7f}\n{work}"
    )


def _rates(model: RuleList, data: Dataset) -> str:
    """Rates of each sensitive attribute's groups on the training rows."""
    assert data.sensitive is not None
    rates = ("accuracy", "selection_rate", "true_positive_rate", "false_positive_rate")
    rows = []
    for column in data.sensitive.columns:
        groups = model.evaluate(data.X, data.y, groups=data.sensitive[column].astype(str)).groups
        assert groups is not None
        rows += [
            (one_line(f"{column} = {name}"), f"{group['weight']:g}", *(f"{100 * group[rate]:.1f} %" for rate in rates))
            for name, group in groups.iterrows()
        ]
    return table(("group", "rows", *(rate.replace("_", " ") for rate in rates)), rows, right=range(1, 6))


class _Progress:
    """The state of a search on stderr: one line that changes on a terminal, else a line now and then."""

    def __init__(self) -> None:
        self.terminal = sys.stderr.isatty()
        self.shown_at = -math.inf
        self.objective = math.inf

    def show(self, snapshot: Snapshot) -> None:
        now, objective = time.monotonic(), _incumbent(snapshot).objective
        improved = objective < self.objective
        if now - self.shown_at >= (_REFRESH_SECONDS if self.terminal else _LOG_SECONDS) or improved:
            self.shown_at, self.objective = now, objective
            self._write(snapshot)

    def end(self, snapshot: Snapshot) -> None:
        self._write(snapshot)
        if self.terminal:
            say("")

    def _write(self, snapshot: Snapshot) -> None:
        line = (
            f"{snapshot.seconds:8.1f} s  {snapshot.phase:<9}  objective {_incumbent(snapshot).objective:.7f}  "
            f"bound {snapshot.lower_bound:.7f}  gap {snapshot.gap:.7f}  queued {snapshot.counts['queued']}"
        )
        print(
            f"\r\033[K{line}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True
        )


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """A list that is filled when Ctrl-C is pressed; pressed again, it interrupts at once."""
    caught: list[int] = []

    def note(number: int, frame: Any) -> None:
        caught.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread, where no signal arrives
        yield caught
        return
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before)

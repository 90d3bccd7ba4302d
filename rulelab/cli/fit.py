"""``rulelab fit``: a table in, a certified model out, the search's progress in between."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..interrupts import noted
from .console import CommandError, one_line, say, table
from .families import FAMILIES, Family, count
from .verify import is_data_set, labels

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..datasets import Dataset
    from ..models import Model
    from ..search import Search, Snapshot

_REFRESH_SECONDS = 0.25
_LOG_SECONDS = 5.0


def fit(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    output = None if args.output is None else _writable(args.output)
    proof = None if args.proof is None else _writable(args.proof)
    family = FAMILIES[args.model]
    settings = family.settings(args)
    if proof is not None and settings.get("max_length") is not None:
        raise CommandError("--proof proves a list optimal among lists of any length: leave --max-length out")
    if proof is not None and proof == output:
        raise CommandError(f"the model and the proof cannot both be written to {proof}")
    report = _unheard if args.quiet else say
    try:
        data = _read(args)
        search = _new_search(args, family, settings, data, report)
    except ValueError as error:
        raise CommandError(error) from error
    if not search.compiled:
        report("loading the compiled search (the first time on a machine it is compiled, which takes some seconds)")
        search.compile()
    progress = None if args.quiet else _Progress()
    with noted() as interrupted:
        for snapshot in search.steps(time_limit=args.time_limit, gap=args.gap):
            if progress:
                progress.show(snapshot)
            if interrupted:
                break
    if progress:
        progress.end(snapshot)
    if snapshot.incumbent is None:
        raise CommandError(_nothing_found(snapshot, family), 1)
    model = snapshot.incumbent.model.relabelled(labels(data))
    print(model.to_text(data.target), _verdict(snapshot, family, search, bool(interrupted)), sep="\n\n")
    if data.sensitive is not None:
        print("", _rates(snapshot.incumbent.model, data), sep="\n")
    if output is not None:
        try:
            model.to_json(output)
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}", 1) from error
        report(f"saved {output}")
    if proof is not None:
        _save_proof(proof, search, data, report)
    return 0


def _save_proof(path: Path, search: Search, data: Dataset, report: Callable[[str], None]) -> None:
    """Save the proof with what it takes to check it on the data file, which is tried."""
    from ..certificate import CertificateError, OriginError

    prove: Callable[[], Certificate] | None = getattr(search, "certificate", None)
    if prove is None:
        raise CommandError("no proof is saved: this method makes none", 1)
    report("making the proof")
    started = time.perf_counter()
    try:
        certificate = prove()
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
    report(f"saved {path}: {path.stat().st_size} bytes, made in {time.perf_counter() - started:.2f} s")


def _unheard(text: str) -> None:
    """Say nothing."""


def _writable(output: str) -> Path:
    """The path, checked before time is spent on what is to be saved there."""
    path = Path(output)
    if path.is_dir():
        raise CommandError(f"{path} is a folder; name a file to write")
    if not path.parent.is_dir():
        raise CommandError(f"there is no folder {path.parent} to write {path.name} into")
    return path


def _read(args: argparse.Namespace) -> Dataset:
    from .. import datasets

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


def _new_search(
    args: argparse.Namespace, family: Family, settings: dict[str, Any], data: Dataset, report: Callable[[str], None]
) -> Search:
    from ..data.binarize import Binarizer

    conditions = Binarizer(args.thresholds, args.negations, args.max_categories).fit_transform(data.X)
    problem = family.problem(settings, data, conditions)
    search = family.search(settings, problem)
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {problem.total_positive} of class "
        f"{one_line(str(data.positive))}; {conditions.shape[1]} conditions, {problem.n_antecedents} antecedents"
    )
    return search


def _nothing_found(snapshot: Snapshot, family: Family) -> str:
    from ..search import Status

    if snapshot.status is Status.INFEASIBLE:
        return f"no {family.noun} meets the constraints: loosen them"
    why = f"the {snapshot.limit} limit was reached" if snapshot.status is Status.LIMIT else "the search was interrupted"
    return f"{why} before a {family.noun} was found that meets the constraints: loosen them, or raise the limit"


def _verdict(snapshot: Snapshot, family: Family, search: Search, interrupted: bool) -> str:
    from ..search import Status

    best = snapshot.incumbent
    assert best is not None
    parts = family.objective(best.model, search.parameters)
    work = f"{snapshot.seconds:.2f} s, " + ", ".join(f"{n} {what}" for what, n in snapshot.counts.items() if n)
    if snapshot.status is Status.OPTIMAL:
        most = search.parameters.get("max_conditions")
        among = "" if most is None else f" among sets of rules of at most {count(most, 'condition')}"
        return f"certified optimal{among}: objective {best.objective:.7f} = {parts}\n{work}"
    if snapshot.limit == "exactness":
        return f"optimal within {snapshot.gap:.3g}: objective {best.objective:.7f} = {parts}\n{work}"
    why = f"{snapshot.limit} limit reached" if snapshot.status is Status.LIMIT else "interrupted" if interrupted else ""
    return (
        f"not certified ({why}): objective {best.objective:.7f} = {parts}\n"
        f"no {family.noun} is below {snapshot.lower_bound:.7f}: the gap is {snapshot.gap:.7f}\n{work}"
    )


def _rates(model: Model, data: Dataset) -> str:
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
        now = time.monotonic()
        objective = math.inf if snapshot.incumbent is None else snapshot.incumbent.objective
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
            f"{snapshot.seconds:8.1f} s  {snapshot.phase:<9}  "
            f"objective {math.inf if snapshot.incumbent is None else snapshot.incumbent.objective:.7f}  "
            f"bound {snapshot.lower_bound:.7f}  gap {snapshot.gap:.7f}  queued {sum(snapshot.queue_by_length)}"
        )
        print(
            f"\r\033[K{line}" if self.terminal else line, end="" if self.terminal else "\n", file=sys.stderr, flush=True
        )

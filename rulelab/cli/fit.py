"""``rulelab fit``: a table in, a certified model out, the search's progress in between."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .console import CommandError, one_line, say, table
from .data_options import Report, problem_of, read_table, unheard
from .families import count, recipe_of
from .output import writable
from .progress import drained, ending
from .verify import labels

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..data.problem import Problem
    from ..datasets import Dataset
    from ..families import Family
    from ..models import Model
    from ..recipe import Recipe
    from ..search import Search, Snapshot


def fit(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    from ..recipe import smallest_problem

    output = None if args.output is None else writable(args.output)
    proof = None if args.proof is None else writable(args.proof)
    recipe = recipe_of(args, args.model)
    family = recipe.family
    if proof is not None and recipe.parameters.get("max_length") is not None:
        raise CommandError("--proof proves a list optimal among lists of any length: leave --max-length out")
    if proof is not None and args.weight is not None:
        raise CommandError("--proof is checked on rows that count alike: leave --weight out")
    _check_search(args)
    if proof is not None and proof == output:
        raise CommandError(f"the model and the proof cannot both be written to {proof}")
    report = unheard if args.quiet else say
    try:
        data = read_table(args)
        recipe.check(data.X.columns)
        _new_search(args, recipe, smallest_problem())  # which refuses what no data make usable, before anything is said
        search = _new_search(args, recipe, problem_of(data, recipe, report))
    except ValueError as error:
        raise CommandError(error) from error
    snapshot, interrupted = drained(search, args, args.gap)
    if snapshot.incumbent is None:
        raise CommandError(_nothing_found(snapshot, family), 1)
    model = snapshot.incumbent.model.relabelled(labels(data))
    print(model.to_text(data.target), _verdict(snapshot, family, search, interrupted), sep="\n\n")
    if data.sensitive is not None:
        print("", _rates(snapshot.incumbent.model, data), sep="\n")
    if emptied := snapshot.detail.get("emptied"):
        print(f"\nthe rates are {emptied}")
    if output is not None:
        try:
            model.to_json(output)
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror}", 1) from error
        report(f"saved {output}")
    if proof is not None:
        _save_proof(proof, search, data, report)
    return 0


def _check_search(args: argparse.Namespace) -> None:
    """The papers' search is for rule lists; it starts from the default rule and bounds no length."""
    if hasattr(args, "search") and args.model != "rule-list":
        raise CommandError(f"--search is not an option of --model {args.model}")
    for name in ("max_length", "beam_width") if _is_corels(args) else ():
        if hasattr(args, name):
            raise CommandError(f"--{name.replace('_', '-')} is not an option of --search corels")


def _is_corels(args: argparse.Namespace) -> bool:
    return getattr(args, "search", "exact") == "corels"


def _save_proof(path: Path, search: Search, data: Dataset, report: Report) -> None:
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


def _new_search(args: argparse.Namespace, recipe: Recipe, problem: Problem) -> Search:
    if not _is_corels(args):
        return recipe.search(problem, random_state=args.random_state)
    from ..rule_list import CorelsSearch

    chosen = {name: recipe[name] for name in ("regularization", "policy", "memory_limit")}
    return CorelsSearch(problem, **chosen, random_state=args.random_state)


def _nothing_found(snapshot: Snapshot, family: Family) -> str:
    from ..search import Status

    if snapshot.status is Status.INFEASIBLE:
        return f"no {family.noun} meets the constraints: loosen them"
    why = f"the {snapshot.limit} limit was reached" if snapshot.status is Status.LIMIT else "the search was interrupted"
    return f"{why} before a {family.noun} was found that meets the constraints: loosen them, or raise the limit"


def _verdict(snapshot: Snapshot, family: Family, search: Search, interrupted: bool) -> str:
    from ..families.account import account
    from ..search import Status

    best = snapshot.incumbent
    assert best is not None
    shown = account(search, snapshot, digits=7)
    objective = f"objective {shown.equation}"
    work = f"{snapshot.seconds:.2f} s, " + ", ".join(f"{n} {what}" for what, n in snapshot.counts.items() if n)
    work = "\n".join(filter(None, (shown.search_space, shown.ruled_out, work)))
    if snapshot.status is Status.OPTIMAL:
        most = search.parameters.get("max_conditions")
        among = "" if most is None else f" among sets of rules of at most {count(most, 'condition')}"
        return f"certified optimal{among}: {objective}\n{work}"
    if snapshot.limit == "exactness":
        return f"optimal within {snapshot.gap:.3g}: {objective}\n{work}"
    return (
        f"not certified ({ending(snapshot, interrupted)}): {objective}\n"
        f"no {family.noun} is below {snapshot.lower_bound:.7f}: the gap is {snapshot.gap:.7f}\n{work}"
    )


def _rates(model: Model, data: Dataset) -> str:
    """Rates of each sensitive attribute's groups on the training rows."""
    assert data.sensitive is not None
    rates = ("accuracy", "selection_rate", "true_positive_rate", "false_positive_rate")
    rows = []
    for column in data.sensitive.columns:
        groups = model.evaluate(data.X, data.y, data.weight, groups=data.sensitive[[column]]).groups
        assert groups is not None
        rows += [
            (one_line(f"{column} = {name}"), f"{group['weight']:g}", *(f"{100 * group[rate]:.1f} %" for rate in rates))
            for name, group in groups.iterrows()
        ]
    return table(("group", "rows", *(rate.replace("_", " ") for rate in rates)), rows, right=range(1, 6))

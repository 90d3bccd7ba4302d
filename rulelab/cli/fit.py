"""``rulelab fit``: a table in, a certified model out, the search's progress in between."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..certificate import Certificate, CertificateError
from ..certificate.parts import watched
from ..data.metrics import FEW, confusion, group_rates
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from ..datasets import Dataset
from ..families import DEMANDS
from ..families.wording import count
from ..models import Model, Provenance
from ..multiclass import MultiClassRuleListSearch
from ..recipe import Recipe, smallest_problem
from ..recording import Recording
from ..report import TITLE, Known, doubted
from ..report import report as report_of
from ..report.known import predicted, told
from ..rule_list import CorelsSearch
from ..shown import digits, percent
from ..snapshot import Status
from ..stepping import Search
from ..tables import PatternCounts
from .near import robustness_of, stays_optimal
from .options import MODELS, recipe_of
from .output import CommandError, bad_input, drained, is_data_set, one_line, refuse, say, table, tell, writing
from .reading import classes_of, is_counted, labels, of_sheet, problem_of, read, say_leaks, sheet_of
from .runs import check_keep, is_provable, keep

_DEMANDS = [each.name for each in DEMANDS]
ONE_LIST = "one list"
_OF_TWO = ("fairness", "min_group_size", "labels", "must_use", "first_rule", "max_uses", "monotone", "by_class")
_OF_ANOTHER_SEARCH = ("policy", "beam_width", "search")
_LOG_SECONDS = 5.0
_LEFT_OUT = ("positive", "sensitive", "keep_sensitive", "record", "keep", "robustness", "random_state", "jobs")
_Asked = tuple[Any, Dataset, PatternCounts | None, Callable[[], Any], Callable[..., Known]]
"""A search, the data and their counts, where rows are counted, what proves, and what is known of a model."""


def fit(args: argparse.Namespace) -> None:
    of_two = args.several_classes is None
    (_check if of_two else _check_one_list)(args)
    recipe, more = recipe_of(args, args.model), dict[str, Any]()
    check_keep(args)

    def noted(fewer: str) -> None:
        more["fewer"] = fewer
        say(fewer)

    with bad_input():
        search, data, counts, prove, known = (_of_two if of_two else _of_classes)(args, recipe, noted)
    robust = robustness_of(search) if args.robustness else None
    recording = None if args.record is None and args.keep is None else Recording(search)
    snapshot, ended = drained(search, args, args.gap, observe=None if recording is None else recording.observe)
    if args.record is not None and recording is not None:
        with writing(args.record):
            recording.save(args.record)
        tell(args, f"saved {args.record}: {args.record.stat().st_size} bytes")
    if snapshot.incumbent is None:
        raise CommandError(report_of(search, snapshot, "interrupted").headline, 1)
    model = snapshot.incumbent.model.relabelled(labels(data)) if of_two else snapshot.incumbent.model
    model = model.proven(Provenance.of(snapshot, search.problem))
    found = report_of(search, snapshot, ended, whole=True)
    unsaved = save_model(args, model)
    print(model.to_text(data.target), found.to_text(), sep="\n\n")
    if robust is not None and snapshot.status is Status.OPTIMAL:
        print("", stays_optimal(robust, args, snapshot.seconds), sep="\n")
    grouped = of_two and data.sensitive is not None
    if grouped:
        print("", rates_of_groups(model, data), sep="\n")
    if counts is not None and counts.held_out is not None:
        held_out = counts.held_out.dataset()
        test = more["test"] = confusion(**predicted(model, held_out))
        low, high = map(percent, test.interval("accuracy"))
        rows = f"{count(int(test.n_rows), 'row')} kept out of training (95 % interval {low} to {high} %)"
        print(f"\ntest: accuracy {percent(test.accuracy)} % on {rows}")
        if grouped:
            print(rates_of_groups(model, held_out))
    say_doubts(known(model, **told(snapshot, recipe.parameters.get("fairness")), **more))
    if unsaved is not None:
        raise unsaved
    made: Any = None
    unproven: CommandError | None = None
    if args.proof is not None:
        try:
            made = save_proof(args, prove, getattr(search, "certified", True))
        except CommandError as error:
            unproven = error
    if args.keep is not None and recording is not None:
        if args.proof is None and snapshot.status is Status.OPTIMAL and is_provable(args, search, snapshot):
            try:
                with watched(proof_watch(args)):
                    made = prove()
            except ValueError as error:
                tell(args, f"no proof is kept: {error}")
        keep(args, recording, data, model, made)
    if unproven is not None:
        raise unproven


def _check(args: argparse.Namespace) -> None:
    """Refuse what goes not together; the papers' search starts from the default rule and bounds no length."""
    if args.proof is not None and args.weight is not None:
        raise CommandError("--proof is checked on rows that count alike: leave --weight out")
    if args.proof is not None and args.at_least is not None:
        raise CommandError("--proof is checked on all rows: leave --at-least out")
    if args.model != "rule-list":
        refuse(args, ["search"], f"--model {args.model}")
    if _is_corels(args):
        refuse(args, ("max_length", "beam_width", "fairness", "labels", *_DEMANDS), "--search corels", none=True)
    if _is_corels(args) or not MODELS[args.model].threads:
        other = "--search corels" if _is_corels(args) else f"--model {args.model}"
        refuse(args, ["jobs"], f"{other}: its search has one thread")


def _is_corels(args: argparse.Namespace) -> bool:
    return getattr(args, "search", "exact") == "corels"


def save_model(args: argparse.Namespace, model: Any) -> CommandError | None:
    """Write a model before anything is printed, for whoever reads that may have gone; the error to raise afterwards."""
    path = args.output
    if path is not None:
        try:
            with writing(path):
                model.save(path)
            tell(args, f"saved {path}")
        except CommandError as error:
            return error
    return None


def say_doubts(known: Known) -> None:
    """Print what is to be doubted of a model, a line for each; nothing when nothing is."""
    if found := doubted(known):
        print("", TITLE, *(one_line(f"- {each}") for each in found), sep="\n")


def proof_watch(args: argparse.Namespace) -> Callable[[], None]:
    """Looks at the clock between the parts of a proof: says how long it has taken, and ends it at its limit."""
    limit = getattr(args, "proof_time_limit", args.time_limit)
    began = told = time.monotonic()

    def watch() -> None:
        nonlocal told
        now = time.monotonic()
        if limit is not None and now - began > limit:
            raise CertificateError(f"it was not made in {limit:g} s; raise --proof-time-limit")
        if now - told >= _LOG_SECONDS:
            told = now
            tell(args, f"{now - began:8.1f} s  making the proof")

    return watch


def save_proof(args: argparse.Namespace, make: Callable[[], Any], of_optimum: bool = True) -> Any:
    """Save the proof that is made, or else the bound's, and give it back."""
    path: Path = args.proof
    tell(args, "making the proof; Ctrl-C goes on without it")
    started = time.perf_counter()
    try:
        with watched(proof_watch(args)):
            certificate = make()
        with writing(path):
            certificate.save(path)
    except ValueError as error:
        raise CommandError(f"no proof is saved: {error}", 1) from error
    except KeyboardInterrupt as error:
        after = f"its making was interrupted after {time.perf_counter() - started:.0f} s"
        raise CommandError(f"no proof is saved: {after}; the model does not depend on it", 1) from error
    what = "" if of_optimum else "of the bound alone, "
    tell(args, f"saved {path}: {what}{path.stat().st_size} bytes, made in {time.perf_counter() - started:.2f} s")
    return certificate


def proof_of(search: Search, data: Dataset) -> Certificate:
    """The proof, tried on the raw columns, or that of the bound alone; raises ValueError when there is none."""
    prove: Callable[..., Certificate] | None = getattr(search, "certificate", None)
    if prove is None:
        raise CertificateError("this method makes none")
    of_bound = getattr(search, "proves_bounds", False) and not search.certified  # type: ignore[attr-defined]
    certificate = prove(bound_only=True) if of_bound else prove()
    assert certificate.origin is not None  # the antecedents were mined from a table
    origin = replace(certificate.origin, classes=labels(data), target=data.target)
    problem = origin.problem(data.X, data.y, sample_weight=data.weight)
    if problem.fingerprint != replace(search.problem, classes=origin.classes).fingerprint:
        raise CertificateError("the conditions of the antecedents do not give the same rows on the raw columns")
    return replace(certificate, fingerprint=problem.fingerprint, origin=origin)


def _new_search(args: argparse.Namespace, recipe: Recipe, problem: Problem | None = None) -> Search:
    """A search of the problem, or of the smallest there is."""
    threads = {} if args.jobs is None else {"n_jobs": args.jobs}
    if not _is_corels(args):
        if problem is None:
            return recipe.smallest(random_state=args.random_state, **threads)
        return recipe.search(problem, random_state=args.random_state, **threads)
    problem = smallest_problem() if problem is None else problem
    chosen = {name: recipe[name] for name in ("regularization", "policy", "memory_limit")}
    return CorelsSearch(problem, **chosen, random_state=args.random_state)


def rates_of_groups(model: Model, data: Dataset) -> str:
    """Rates of each sensitive attribute's groups on these rows."""
    assert data.sensitive is not None
    rates = ("accuracy", "selection_rate", "true_positive_rate", "false_positive_rate", "precision")
    seen, rows, starred = predicted(model, data), [], False
    for column in data.sensitive.columns:
        table_of = group_rates(groups=data.sensitive[[column]], **seen)
        for name, group in table_of.iterrows():
            few = [group[f"{rate}_rows"] < FEW and not math.isnan(group[rate]) for rate in rates]
            shares = ("-" if math.isnan(group[rate]) else f"{percent(group[rate])} %" for rate in rates)
            shown = (share + "*" * star for share, star in zip(shares, few, strict=True))
            size = (f"{group['rows']:.10g}", *([digits(group["weight"])] if data.weight is not None else []))
            rows.append((one_line(f"{column} = {name}"), *size, *shown))
            starred |= any(few)
    sizes = ("rows", *(["weight"] if data.weight is not None else []))
    heads = ("group", *sizes, *(rate.replace("_", " ") for rate in rates))
    note = f"\n* a share of fewer than {FEW} rows, which says little" * starred
    return table(heads, rows, right=range(1, len(heads))) + note


def _of_two(args: argparse.Namespace, recipe: Recipe, noted: Callable[[str], None]) -> _Asked:
    """A class told from the rest."""
    _new_search(args, recipe)  # which refuses what no data make usable, before anything is said
    data, counts = read(args, recipe)
    search = _new_search(args, recipe, problem_of(args, data, recipe, counts=counts, note=noted))
    return search, data, counts, lambda: proof_of(search, data), partial(Known.of, data=data)


def _of_classes(args: argparse.Namespace, recipe: Recipe, noted: Callable[[str], None]) -> _Asked:
    """All classes of the target, in one list."""
    sheet = sheet_of(args)
    found, some = classes_of(sheet, args.target)
    data = of_sheet(args, sheet, some, unknown="negative")
    say_leaks({name: said for name, said in sheet.leaks(args.target).items() if name in data.X})
    recipe.check(data.X.columns)
    conditions, _ = recipe.conditions(data.X, data.weight)
    features, note = recipe.features(conditions, None, data.weight, data.X.columns)
    if note:
        noted(note)
    problem = MultiClassProblem.from_antecedents(features, found, sample_weight=data.weight)  # type: ignore[arg-type]
    search = MultiClassRuleListSearch(
        problem, *(recipe[each] for each in ("regularization", "max_length", "memory_limit"))
    )
    tell(
        args,
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {len(problem.classes)} classes; "
        f"{conditions.shape[1]} conditions, {problem.n_antecedents} antecedents",
    )
    rows = found if data.weight is None else found[data.weight.to_numpy() > 0]
    known = partial(Known, rows=[int((rows == label).sum()) for label in problem.classes], target=data.target)
    return search, data, None, lambda: search.certificate().for_table(data.X, found, data.target), known


def _check_one_list(args: argparse.Namespace) -> None:
    """Refuse what such a list does not have."""
    asked = f'--several-classes "{ONE_LIST}"'
    if args.model != "rule-list":
        raise CommandError(f"{asked} is not an option of --model {args.model}")
    refuse(args, (*_OF_TWO, *_OF_ANOTHER_SEARCH, *_LEFT_OUT), asked)
    if args.proof is not None and (args.weight is not None or hasattr(args, "max_length")):
        unproven = "--weight" if args.weight is not None else "--max-length"
        raise CommandError(
            f"--proof is of lists of any length, and checked on rows that count alike: leave {unproven} out"
        )
    if is_counted(args):
        raise CommandError(f"{asked} takes a single file that is read into memory, not counts")
    if is_data_set(args.data):
        raise CommandError(f"{args.data} has two classes: leave {asked} out")

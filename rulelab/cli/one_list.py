"""``rulelab fit --several-classes "one list"``: a certified list whose rules each predict one of all classes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from .counted import is_counted
from .data_options import of_sheet, say_leaks, sheet_of, unheard
from .families import recipe_of
from .options import add
from .output import CommandError, bad_input, is_data_set, save_model, say, say_doubts, writing
from .progress import drained, proof_watch
from .verify import classes_of

if TYPE_CHECKING:
    import pandas as pd

    from ..datasets import Dataset
    from ..multiclass import MultiClassRuleListSearch
    from ..snapshot import Snapshot

ONE_LIST = "one list"
_OF_TWO = ("fairness", "min_group_size", "labels", "must_use", "first_rule", "max_uses", "monotone", "by_class")
_OF_ANOTHER_SEARCH = ("policy", "beam_width", "search")
_LEFT_OUT = ("positive", "sensitive", "keep_sensitive", "record", "keep", "robustness", "random_state", "jobs")
_MOST_CHECKED = 200_000
"""Sets of a proof times antecedents that are checked at once, which takes a few seconds."""


def add_several_classes(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    text = (
        "of rule lists: one list whose rules each predict one of all classes of the target; without it --positive says "
        "which class is told from the rest"
    )
    add(parser, "--several-classes", choices=[ONE_LIST], text=text)


def fit_one_list(args: argparse.Namespace) -> int:
    """Run the command; the exit status."""
    from ..data.multiclass import MultiClassProblem
    from ..models import Provenance
    from ..multiclass import MultiClassRuleListSearch
    from ..report import report as report_of
    from ..report.known import Known, told

    _check(args)
    recipe = recipe_of(args, args.model)
    report = unheard if args.quiet else say
    with bad_input():
        data, labels = _read(args)
        recipe.check(data.X.columns)
        conditions, _ = recipe.conditions(data.X, data.weight)
        features, note = recipe.features(conditions, None, data.weight, data.X.columns)
        if note:
            say(note)
        problem = MultiClassProblem.from_antecedents(features, labels, sample_weight=data.weight)  # type: ignore[arg-type]
        asked = {name: recipe[name] for name in ("regularization", "max_length", "memory_limit")}
        search = MultiClassRuleListSearch(problem, **asked)
    report(
        f"{data.name}: {problem.n_rows} rows, {data.X.shape[1]} features, {len(problem.classes)} classes; "
        f"{conditions.shape[1]} conditions, {problem.n_antecedents} antecedents"
    )
    snapshot, interrupted = drained(search, args, args.gap)
    best = snapshot.incumbent
    assert best is not None  # there is always the list without rules
    unsaved = save_model(args.output, best.model.proven(Provenance.of(snapshot, problem)), report)
    found = report_of(search, snapshot, "interrupted" if interrupted else "", whole=True)
    print(best.model.to_text(data.target), found.to_text(), sep="\n\n")
    if said := _checked(search, snapshot):
        print(said)
    rows = labels if data.weight is None else labels[data.weight.to_numpy() > 0]
    sizes = [int((rows == label).sum()) for label in problem.classes]
    say_doubts(Known(best.model, sizes, fewer=note, target=data.target, **told(snapshot)))
    if unsaved is not None:
        raise unsaved
    if args.proof is not None:
        _save_proof(args.proof, search, data, labels, args)
    return 0


def _check(args: argparse.Namespace) -> None:
    """Refuse what such a list does not have."""
    asked = f'--several-classes "{ONE_LIST}"'
    if args.model != "rule-list":
        raise CommandError(f"{asked} is not an option of --model {args.model}")
    given = [name for name in (*_OF_TWO, *_OF_ANOTHER_SEARCH) if hasattr(args, name)]
    given += [name for name in _LEFT_OUT if getattr(args, name) not in (None, False, [])]
    if given:
        raise CommandError(f"--{given[0].replace('_', '-')} does not go together with {asked}: leave one of them out")
    if args.proof is not None and (args.weight is not None or hasattr(args, "max_length")):
        unproven = "--weight" if args.weight is not None else "--max-length"
        raise CommandError(
            f"--proof is of lists of any length, and checked on rows that count alike: leave {unproven} out"
        )
    if is_counted(args):
        raise CommandError(f"{asked} takes a single file that is read into memory, not counts")
    if is_data_set(args.data):
        raise CommandError(f"{args.data} has two classes: leave {asked} out")


def _read(args: argparse.Namespace) -> tuple[Dataset, pd.Series]:
    """The table, and the label of each of its rows; CommandError or ValueError when they are wrong."""
    sheet = sheet_of(args)
    labels, some = classes_of(sheet, args.target)
    data = of_sheet(args, sheet, some, unknown="negative")
    say_leaks({name: said for name, said in sheet.leaks(args.target).items() if name in data.X})
    return data, labels


def _save_proof(
    path: Path, search: MultiClassRuleListSearch, data: Dataset, labels: pd.Series, args: argparse.Namespace
) -> None:
    """Save the proof with what it takes to check it on the data file, which is tried."""
    from ..certificate.parts import watched

    try:
        with watched(proof_watch(args)):
            certificate = search.certificate().for_table(data.X, labels, data.target)
        with writing(path):
            certificate.save(path)
    except ValueError as error:
        raise CommandError(f"no proof is saved: {error}", 1) from error
    (unheard if args.quiet else say)(f"saved {path}: {path.stat().st_size} bytes")


def _checked(search: MultiClassRuleListSearch, snapshot: Snapshot) -> str:
    """What the check of the proof says, where it takes a moment only."""
    unproven = snapshot.status != "optimal" or search.max_length is not None
    if unproven or snapshot.counts["expanded"] * search.problem.n_antecedents > _MOST_CHECKED:
        return ""
    assert snapshot.incumbent is not None
    answer = search.certificate().check(search.problem, snapshot.incumbent.model)
    if not answer:
        raise CommandError(f"the proof is refused: {answer.reason}", 1)
    return f"the proof was checked without the search: {answer.reason}"

"""``rulelab ablate``: what each bound of a search is worth, each left out once or added one by one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..families.wording import at_most
from .families import add_memory, add_problem, recipe_of
from .options import add, add_limits, add_written, table_command
from .output import CommandError, bad_input, save, table, tell
from .reading import read_problem

if TYPE_CHECKING:
    from ..ablation import Ablation

_MODELS = ("rule-list", "falling-rule-list")


def add_to(commands: Any) -> None:
    what = "Run a search as it is set and once more without each of its bounds: the optimum is the same, the work not."
    parser = table_command(commands, ablate, "ablate", "measure what each bound is worth", what, *_MODELS)
    add_written(parser, endings=(".csv",), text="save the table: FILE.csv")
    text = "the search of the CORELS paper: with all bounds, then with the first alone, then with one more each time"
    add(parser, "--added", action="store_true", text=text)
    add_problem(parser, _MODELS, ["fairness", "min_group_size", "labels"])
    add_memory(add_limits(parser, "Each run has the whole time; at Ctrl-C what has ended is shown."))


def ablate(args: argparse.Namespace) -> int:
    from ..ablation import Ablation, of_the_paper

    recipe = recipe_of(args, args.model)
    with bad_input():
        _, problem = read_problem(args, recipe)
        search = recipe.search(problem)
        if args.added:
            search = of_the_paper(search)
        ablation = Ablation(search, args.added)
    search.compile()
    _run(ablation, args)
    print(_shown(ablation))
    save(args.output, ablation.frame, args.quiet)
    if ablation.contradiction:
        raise CommandError(ablation.contradiction, 1)
    return 0


def _run(ablation: Ablation, args: argparse.Namespace) -> None:
    of = len(ablation.variants)
    try:
        tell(args, f"1 of {of}: {ablation.variants[0].name}")
        for outcome in ablation.steps(time_limit=args.time_limit):
            at = len(ablation.outcomes)
            if at < of:
                tell(args, f"{at + 1} of {of}: {ablation.variants[at].name}; {outcome.variant.name} has ended")
    except KeyboardInterrupt:
        tell(args, "interrupted: the runs that have ended are shown")


def _shown(ablation: Ablation) -> str:
    from ..ablation import ALIKE

    frame = ablation.frame
    rows = [
        (
            row.variant,
            f"{row.limit} limit" if isinstance(row.limit, str) else row.status,
            *(f"{row.objective:.7f}", at_most(row.gap)),
            *(f"{row.nodes}", f"{row.nodes_factor:.3g}", f"{row.seconds:.2f}", f"{row.seconds_factor:.3g}"),
        )
        for row in frame.itertuples(index=False)
    ]
    heads = ("", "status", "objective", "gap", "nodes", "nodes ×", "seconds", "seconds ×")
    shown = table(heads, rows, right=range(2, 8))
    return shown if ablation.added else f"{shown}\n\n{ALIKE}"

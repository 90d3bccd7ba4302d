"""``rulelab stability``: which rules of a model return on bootstrap samples of the rows."""

from __future__ import annotations

import argparse
from math import isnan

from ..families.wording import count
from ..shown import percent, share
from .data_options import read, unheard
from .families import MODELS, add_memory, add_problem, recipe_of
from .options import add, add_limits, add_source, add_written, whole
from .output import CommandError, bad_input, one_line, save, say, table

_SHOWN = 20


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    what = "Search the best model of the table and of bootstrap samples of its rows: which rules return?"
    parser = commands.add_parser("stability", help="which rules of a model return", description=what)
    add_source(parser)
    add(parser, "--model", choices=list(MODELS), default="rule-set", text="the family of models")
    add_written(parser, endings=(".csv",), text="save the table of rules: FILE.csv")
    add(parser, "--quiet", action="store_true", text="no progress")
    add(parser, "--samples", type=whole(1), default=20, metavar="N", text="bootstrap samples")
    add_problem(parser)
    add(parser, "--random-state", type=whole(0), default=0, metavar="N", text="seed of the samples")
    add_memory(add_limits(parser, "Of each search; at Ctrl-C what the samples so far say is given."))
    parser.set_defaults(run=stability)


def stability(args: argparse.Namespace) -> int:
    from .. import estimators

    recipe = recipe_of(args, args.model)
    classifier = {
        "rule-list": estimators.RuleListClassifier,
        "falling-rule-list": estimators.FallingRuleListClassifier,
        "rule-set": estimators.RuleSetClassifier,
    }[args.model]
    report = unheard if args.quiet else say
    with bad_input():
        data, counts = read(args, recipe, report)
        grouped = recipe.parameters.get("fairness") is not None
        if grouped and data.sensitive is None:
            raise CommandError("--fairness compares groups: name a sensitive attribute with --sensitive")
        found = estimators.stability(
            classifier(**recipe.parameters, time_limit=args.time_limit, random_state=args.random_state),
            data.X if counts is None else counts.training.frame,
            data.y,
            data.weight,
            data.sensitive if grouped else None,
            n_samples=args.samples,
            random_state=args.random_state,
        )
    rows = [
        (one_line(row.rule), "yes" if row.in_reference else "no", f"{row.returns}", percent(row.share, 0))
        for row in found.rules.head(_SHOWN).itertuples(index=False)
    ]
    print(table(("rule", "of the table", "returns", "%"), rows, right=(2, 3)) if rows else "no model has a rule")
    if len(found.rules) > _SHOWN:
        print(f"and {count(len(found.rules) - _SHOWN, 'more rule')}; -o FILE.csv saves all")
    figures = found.fits[["error_rate", "unseen_error_rate", "rules", "shared_rules"]].astype(float)
    names = ("error rate, on its own rows", "error rate, on rows not drawn", "rules", "rules shared with the whole")
    of = figures.iloc[1:]
    columns = (figures.iloc[0], of.mean(), of.std(), of.min(), of.max())
    cells = [
        (name, *("-" if isnan(column[at]) else share(column[at], 3) for column in columns))
        for name, at in zip(names, figures, strict=True)
    ]
    print("\n" + table(("", "table", "mean", "std", "least", "most"), cells, right=range(1, 6)))
    proven, done = int((found.fits["status"] == "optimal").sum()), len(found.fits) - 1
    print(f"\n{done} of {count(args.samples, 'sample')} done; {proven} of {count(done + 1, 'model')} proven optimal")
    save(args.output, found.rules, report)
    return 0

"""What each bound of the CORELS papers is worth: remove one at a time, and compare with the papers' Tables 4 and 5.

The search is `CorelsSearch`: prefixes, antecedents in their order, no presolve. Three tables: the bounds that the JMLR
paper used, and its variants; the same bounds and one more of those that it did not use; all bounds, and each removed.
"counted" are the rules whose support was counted, "evaluations" the lower bounds computed, "cut" what the bound cuts
while it is there.
A run that meets a limit has "> " before its figures: they are lower bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from _measure import Table, measure, parser
from rule_list import Instance, known_instances

import rulelab as rl
from rulelab.rule_list import CORELS_BOUNDS

MB = 10**6
DEFAULT = ("compas_a:.005", "tic_tac_toe:.01")  # the first that is at hand; the first is the paper's, on all its rows

COLUMNS = (
    "variant:-26 | user s:9.3f | x:7.2f | counted:13,.0f | evaluations:13,.0f | x eval.:7.2f | insertions:12,.0f | "
    "largest queue:13,.0f | longest:7.0f | s to opt.:9.3f | eval. to opt.:13,.0f | stopped:-7 | cut:10,.0f"
)
PAPERS = "Table 4:7.1f | Table 5:7.1f"


class AtLeast(float):
    """A figure of a run that met a limit, or of the papers' that did."""

    def __format__(self, form: str) -> str:
        return f"> {float(self):{form}}"


class Variant(NamedTuple):
    """A choice of bounds, and the slow-downs that the papers give for it."""

    name: str
    bounds: rl.CorelsBounds
    policy: str = "lower_bound"
    removed: tuple[str, ...] = ()
    propublica: float | None = None
    nyclu: float | None = None


PUBLISHED = rl.CorelsBounds.published()
PAPER = (
    Variant("CORELS", PUBLISHED, propublica=1.0, nyclu=1.0),
    Variant("no priority queue (BFS)", PUBLISHED, "breadth_first", (), 1.1, 2.0),
    Variant("no support bounds", PUBLISHED, removed=("support", "accurate_support"), propublica=1.5, nyclu=1.1),
    Variant("no lookahead bound", PUBLISHED, removed=("lookahead",), propublica=13.3, nyclu=1.6),
    Variant("no symmetry-aware map", PUBLISHED, removed=("permutation",), propublica=8.4, nyclu=68.0),
    Variant(
        "no equivalent points bound", PUBLISHED, removed=("equivalent_points",), propublica=AtLeast(180), nyclu=3.8
    ),
)
"""The variants of section 6.8 with the slow-downs of Tables 4 (ProPublica) and 5 (NYCLU stop-and-frisk)."""


def main(argv: list[str]) -> int:
    """Print the tables; status 1 when two runs that ended disagree on the optimum."""
    options = parser("ablation", __doc__ or "", repeats=1)
    options.add_argument("instance", nargs="?", metavar="INSTANCE", help=f"name:regularization (default: {DEFAULT[0]})")
    options.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="of each run (%(default)g s)")
    options.add_argument("--memory-limit", type=float, default=2000, metavar="MB", help="of each run (%(default)g MB)")
    options.add_argument("--published", action="store_true", help="only the variants of the paper")
    args = options.parse_args(argv)
    instance = _find(args.instance)
    if instance is None:
        print(f"there is no instance {args.instance!r}; `rulelab bench rule-list --list` says which", file=sys.stderr)
        return 2
    A, y = instance.load()
    problem = rl.Problem.from_arrays(A, y)
    where = f"{instance.name}, regularization {instance.regularization:g}"
    print(f"{where}: {len(A)} rows, {problem.n_patterns} patterns, {problem.n_antecedents} antecedents")
    rl.solve(rl.CorelsSearch(problem, 0.5))  # compiles the kernels, or loads them

    print("\nThe bounds of the paper's implementation; its slow-downs: JMLR 18 (2018), Tables 4 and 5")
    groups = {"published": list(PAPER)}
    if not args.published:
        groups |= {"published and one more": list(_additions()), "all": list(_removals())}
    tables, optima = {}, set()
    for group, variants in groups.items():
        if group != "published":
            print(f"\nBounds: {group}")
        tables[group] = table = Table(f"{COLUMNS} | {PAPERS}" if group == "published" else COLUMNS)
        base = None
        for variant in variants:
            snapshot, user = _run(problem, instance.regularization, variant, args)
            base = base or (snapshot, user)
            papers = (variant.propublica, variant.nyclu) if group == "published" else ()
            table.add(*_cells(variant, snapshot, user, *base), *papers)
            if snapshot.status is rl.Status.OPTIMAL:
                optima.add(snapshot.incumbent.objective)
        _print_order(table, group == "published")
    together = tables["published"]
    together.rows = [{"bounds": group, **row} for group, table in tables.items() for row in table.rows]
    together.save(args.json)
    if len(optima) > 1:
        print(f"the optima differ: {sorted(optima)}", file=sys.stderr)
    return int(len(optima) > 1)


def _find(wanted: str | None) -> Instance | None:
    """The instance that is called so; by default the paper's, or a small embedded one where that is not at hand."""
    known = {(i.name, i.regularization): i for i in known_instances()}
    for text in DEFAULT if wanted is None else (wanted,):
        name, _, regularization = text.partition(":")
        try:
            key = name, float(regularization)
        except ValueError:
            return None
        if key in known:
            return known[key]
    return None


def _additions() -> Iterator[Variant]:
    yield Variant("CORELS", PUBLISHED)
    for name in CORELS_BOUNDS:
        if not getattr(PUBLISHED, name):
            yield Variant(f"and {_words(name)}", replace(PUBLISHED, **{name: True}))
    yield Variant("all", rl.CorelsBounds())


def _removals() -> Iterator[Variant]:
    everything = rl.CorelsBounds()
    yield Variant("all", everything)
    yield Variant("no priority queue (BFS)", everything, "breadth_first")
    yield Variant("curiosity", everything, "curiosity")
    for name in CORELS_BOUNDS:
        yield Variant(f"no {_words(name)}", everything, removed=(name,))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _run(problem: rl.Problem, regularization: float, variant: Variant, args: Any) -> tuple[rl.Snapshot, float]:
    bounds = replace(variant.bounds, **dict.fromkeys(variant.removed, False))

    def solve() -> rl.Snapshot:
        limit = round(args.memory_limit * MB)
        search = rl.CorelsSearch(problem, regularization, variant.policy, bounds, memory_limit=limit)
        return rl.solve(search, time_limit=args.time_limit)

    snapshot, user, _, _ = measure(solve, args.repeats)
    return snapshot, user


def _cells(variant: Variant, snapshot: rl.Snapshot, user: float, base: rl.Snapshot, base_user: float) -> list[Any]:
    ended = snapshot.status is rl.Status.OPTIMAL
    figure = float if ended else AtLeast
    counts = snapshot.counts
    found = snapshot.incumbent.found_at[0], snapshot.detail["created at incumbent"]
    comparable = base.status is rl.Status.OPTIMAL
    reached = ended or snapshot.incumbent.objective <= base.incumbent.objective
    return [
        variant.name,
        figure(user),
        figure(user / base_user) if comparable else None,
        figure(counts["counted"]),
        figure(counts["created"]),
        figure(counts["created"] / base.counts["created"]) if comparable else None,
        figure(counts["inserted"]),
        figure(counts["largest queue"]),
        figure(counts["longest prefix"]),
        *(found if reached else (figure(user), figure(counts["created"]))),
        snapshot.limit or "",
        sum(base.pruned[name] for name in variant.removed) if variant.removed else None,
    ]


def _print_order(table: Table, with_papers: bool) -> None:
    """Say which bound matters most: first those whose run met a limit, then by how much more it takes without them."""
    titles = {"x": "By time", "x eval.": "By evaluations"}
    if with_papers:
        titles |= {"Table 4": "In the paper, ProPublica, by time", "Table 5": "In the paper, NYCLU, by time"}
    for title, meaning in titles.items():
        if any(row[title] is None for row in table.rows):
            print(f"{meaning}: the first row met a limit, so there is nothing to compare with")
            continue
        order = sorted(table.rows[1:], key=lambda row, title=title: (isinstance(row[title], AtLeast), row[title]))
        print(f"{meaning}: " + ", ".join(f"{row['variant']} ({row[title]:.3g})" for row in reversed(order)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Record the search that the front of the page plays, as its file in rulelab/assets."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import rulelab as rl
from rulelab.assets import FOLDER

DATA, PRICE, GROUPS = "breast_cancer", 0.003, 2
FILE = FOLDER / "front_search.json"


def record() -> rl.Recording:
    """The search, without a beam and prefix by prefix: each better list is one that the tree has come to."""
    data = rl.datasets.load(DATA)
    conditions = rl.Binarizer(thresholds=GROUPS).fit_transform(data.X)
    problem = rl.Problem.from_antecedents(rl.mine_antecedents(conditions, max_conditions=1), data.y)
    recording = rl.Recording(rl.RuleListSearch(problem, PRICE, beam_width=0))
    for _ in recording.steps(work_per_step=1):
        pass
    return recording


def changes(recording: rl.Recording) -> Iterator[tuple[int, float, float, Any]]:
    """Prefixes so far, objective, bound and best list, wherever one of them is another one."""
    before: tuple[float, ...] = ()
    snapshots = [each for each in recording.snapshots if each.incumbent is not None]
    for each in snapshots:
        assert each.incumbent is not None
        now = round(each.incumbent.objective, 5), round(each.lower_bound, 5)
        if now != before or each is snapshots[-1]:
            yield each.work, *now, each.incumbent.model
        before = now


def begins(model: rl.RuleList, classes: Sequence[str]) -> str:
    """How many rules a list has, and the first one."""
    first, number = model.rules[0], len(model.rules)
    many = f"{number} rules" if number > 1 else "1 rule"
    return f"{many}: if {first.name.replace('<=', '≤')} then {classes[first.prediction]}, else …"


def main(arguments: list[str]) -> None:
    """Write the file."""
    options = argparse.ArgumentParser(prog="tests/benchmarks recorded-search", description=__doc__)
    options.add_argument("--out", type=Path, default=FILE, help="instead of the file of the page")
    out = options.parse_args(arguments).out
    recording = record()
    points, lists = [], []
    for work, objective, bound, model in changes(recording):
        points.append([work, objective, bound])
        if len(points) < 2 or points[-2][1] != objective:
            lists.append([work, begins(model, ("benign", "malignant"))])
    print(f"{len(points)} points, {len(lists)} lists")
    out.write_text(json.dumps({"points": points, "lists": lists}, ensure_ascii=False) + "\n", encoding="utf-8")

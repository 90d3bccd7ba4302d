"""The search that the front of the page plays; ``python tests/recorded_search.py`` writes its file anew."""

import json
from collections.abc import Iterator, Sequence
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


def text() -> str:
    """What the file holds."""
    points, lists = [], []
    for work, objective, bound, model in changes(record()):
        points.append([work, objective, bound])
        if len(points) < 2 or points[-2][1] != objective:
            lists.append([work, begins(model, ("benign", "malignant"))])
    return json.dumps({"points": points, "lists": lists}, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

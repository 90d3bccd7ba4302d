"""Laws that hold in every room: a table that says the same in another way gives the same answer by every door.

Each seed makes a table and crosses a family with fairness, weights, demands and a balance of the classes; each law
changes the table so that only what it names may change. Seeds from ``RULELAB_SEEDS``, such as ``100:400``, try more.
"""

import contextlib
import io
import os
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from patience import PATIENCE

import rulelab as rl
from rulelab.cli.commands import main
from rulelab.cli.options import MODELS
from rulelab.cli.output import as_option

FAMILIES = {
    "rule-list": (rl.RuleListClassifier, {"regularization": 0.02, "max_conditions": 1, "beam_width": 20}),
    "falling-rule-list": (rl.FallingRuleListClassifier, {"regularization": 0.02, "max_conditions": 1}),
    "rule-set": (rl.RuleSetClassifier, {"max_complexity": 4, "max_conditions": 2}),
}
FAIR = {"demographic-parity": rl.DemographicParity, "equal-opportunity": rl.EqualOpportunity}
FIRST, _, LAST = os.environ.get("RULELAB_SEEDS", "0:6").partition(":")
SEEDS = range(int(FIRST), int(LAST or int(FIRST) + 1))


def halves(kinds: Iterable[Any]) -> list[tuple[int, Any]]:
    """Every other seed with each of these: every family is among them."""
    return [(seed, kind) for k, kind in enumerate(kinds) for seed in SEEDS if (seed + k) % 2]


@dataclass(frozen=True)
class Case:
    """A table of the features a, b, c and d, the weight w, the group g and the class y, and what is asked of it."""

    table: pd.DataFrame
    family: str
    weighted: bool
    fairness: str | None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def features(self) -> pd.DataFrame:
        return self.table.drop(columns=["w", "g", "y"])


@dataclass(frozen=True)
class Answer:
    """What came out: the model as it decides about the rows, and the figures beside it."""

    status: str
    objective: float
    predicted: tuple[Any, ...]
    rates: tuple[float, ...]


def case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 120))
    table = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n),
            "b": (rng.normal(50, 9, n)).round(1),
            "c": rng.choice(["low", "mid", "high, or so"], n),
            "d": rng.choice(["x", "y, z"], n),
        }
    )
    clear = (table["a"] > 2) & (table["c"] != "low") | (table["d"] == "x") & (table["b"] > 55)
    table["w"] = rng.integers(1, 4, n)
    table["g"] = rng.choice(["men, old", "men", "women"], n)
    table["y"] = np.where(clear ^ (rng.random(n) < 0.15), 1, 0)
    table.loc[:3, "y"] = [0, 1, 0, 1]
    families = list(FAMILIES)
    fairness = [None, *FAIR][seed // 3 % 3]
    demand = {"must_not_use": ["d"]} if seed % 4 == 1 else {}
    return Case(table, families[seed % 3], seed % 2 == 1, fairness, demand)


def by_estimator(asked: Case) -> Answer:
    """The classifier of the family."""
    make, options = FAMILIES[asked.family]
    criterion = None if asked.fairness is None else FAIR[asked.fairness](0.2)
    model = make(thresholds=3, min_group_size=0, fairness=criterion, time_limit=None, **options, **asked.options)
    groups = None if criterion is None else asked.table["g"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(asked.features, asked.table["y"], asked.table["w"] if asked.weighted else None, groups)
    rates = [] if groups is None else np.asarray(model.group_rates_.select_dtypes("number")["selection_rate"])
    return Answer(model.status_, model.objective_, tuple(model.predict(asked.features)), tuple(np.sort(rates)))


def by_command(asked: Case, folder: Path, *more: str, name: str = "table.csv") -> Answer:
    """``rulelab fit`` on the table's file, and the model that it saves."""
    if not (folder / name).exists() and "*" not in name:
        asked.table.to_csv(folder / name, index=False)
    options = {"thresholds": 3, "min_group_size": 0, "time_limit": "none", **FAMILIES[asked.family][1], **asked.options}
    options |= {} if asked.fairness is None else {"fairness": f"{asked.fairness}:0.2"}
    options.pop("min_group_size" if asked.fairness is None else "", None)
    words = ["fit", str(folder / name), "--target", "y", "--positive", "1", "--quiet", "--model", asked.family]
    for option, value in options.items():
        for each in value if isinstance(value, list) else [value]:
            words += [as_option(option), str(each)]
    words += ["--sensitive", "g"] + (["--weight", "w"] if asked.weighted else ["--leave-out", "w"])
    saved = folder / f"model{len(list(folder.iterdir()))}.json"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*words, "-o", str(saved), *more]) == 0
    objective = re.search(r"objective ([\d.]+)", printed.getvalue())
    assert objective is not None, printed.getvalue()
    model: Any = rl.load_model(saved)
    predicted = [int(float(each)) for each in model.predict(asked.features)]
    status = "optimal" if "certified optimal" in printed.getvalue() else "limit"
    return Answer(status, float(objective[1]), tuple(predicted), ())


def same(one: Answer, other: Answer, model: bool = True, scale: float = 1.0) -> None:
    assert one.status == other.status
    assert one.objective * scale == pytest.approx(other.objective, abs=2e-7 * max(1.0, scale))
    if model:
        assert one.predicted == other.predicted
        assert one.rates == pytest.approx(other.rates)


def changed(asked: Case, **columns: Callable[[pd.Series], Any]) -> Case:
    return replace(asked, table=asked.table.assign(**{name: make(asked.table[name]) for name, make in columns.items()}))


def _loss_scale(asked: Case, factor: float) -> float:
    """Rule sets count errors in weight; lists in shares of it."""
    return factor if asked.family == "rule-set" else 1.0


@cache
def answer(seed: int) -> Answer:
    """What the classifier says of a case as it is."""
    return by_estimator(case(seed))


FACTORS = (1000, 1 / 7)


# the same rows, counted or weighed otherwise ------------------------------------------------------------------------
@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("seed", SEEDS)
def test_weights_times_a_constant_change_nothing_but_sums(seed, factor):
    asked = replace(case(seed), weighted=True)
    same(by_estimator(asked), by_estimator(changed(asked, w=lambda w: w * factor)), scale=_loss_scale(asked, factor))


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_weights_are_repeated_rows(seed):
    asked = replace(case(seed), weighted=True)
    rows = asked.table.index.repeat(asked.table["w"])
    repeated = replace(asked, table=asked.table.loc[rows].reset_index(drop=True), weighted=False)
    one, other = by_estimator(asked), by_estimator(repeated)
    assert (one.status, one.rates) == (other.status, pytest.approx(other.rates)) or one.objective != other.objective
    # cuts are quantiles of the weighted rows, so that the conditions are the same
    assert one.objective == pytest.approx(other.objective)


# the same table, arranged or named otherwise ------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_rows_and_columns_does_not_matter(seed):
    asked = case(seed)
    table = asked.table.sample(frac=1, random_state=seed)[["g", "d", "w", "c", "b", "y", "a"]]
    same(answer(seed), by_estimator(replace(asked, table=table.reset_index(drop=True))), model=False)


@pytest.mark.parametrize(("seed", "names"), halves([["x, y", "x", "y"], ["(missing)", "1", "01"], ["<b>", "'", '"']]))
def test_what_groups_are_called_does_not_matter(seed, names):
    asked = replace(case(seed), fairness=list(FAIR)[seed // 2 % 2])
    renamed = dict(zip(["men, old", "men", "women"], names, strict=True))
    same(by_estimator(asked), by_estimator(changed(asked, g=lambda g: g.map(renamed))))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_columns_and_classes_are_called_does_not_matter(seed):
    asked = replace(case(seed), options={})
    names = {"a": "age, in years", "b": "b <= 3", "c": "é 'c'", "d": "1"}
    one = by_estimator(asked)
    other = by_estimator(replace(asked, table=asked.table.rename(columns=names).assign(y=asked.table["y"].map(_YES))))
    same(replace(one, predicted=tuple(_YES[int(each)] for each in one.predicted)), other)


_YES = {0: "no, sir", 1: "yes"}


# sweeps: folds, fronts, what is saved of them ------------------------------------------------------------------------
VARIED = {
    "rule-list": {"regularization": [0.05, 0.02], "max_conditions": [1]},
    "falling-rule-list": {"regularization": [0.05, 0.02], "max_conditions": [1]},
    "rule-set": {"max_complexity": [2, 4], "max_conditions": [2]},
}
_SUMS = ["train_errors", "train_weight", "test_errors", "test_weight"]
_LOSSES = ["objective", "lower_bound", "gap"]


@dataclass(frozen=True)
class Swept:
    """A sweep's table and fronts, where rates and gaps are the same however rows are named, arranged or weighed."""

    table: pd.DataFrame
    fronts: dict[str, list[int]]
    models: list[str]


def swept(asked: Case, data: Any, saved: Path, **more: Any) -> Swept:
    """The sweep over the case's data, and what its results file gives back."""
    grid: dict[str, Any] = dict(VARIED[asked.family])
    if asked.fairness is not None:
        grid |= {"fairness": [None, FAIR[asked.fairness](0.2)], "min_group_size": [0]}
    out = []
    for _ in range(2):
        sweep = rl.sweep(data, MODELS[asked.family].name, grid, sensitive="g", results=saved, **more)
        assert sweep.wait(PATIENCE)
        frame = sweep.frame.drop(columns=["seconds", "message"])
        fronts = {
            f"{x}, {on}": list(sweep.pareto(x, on=on)["point"])
            for x in ("accuracy", "equal_opportunity_gap")
            for on in ("train", "test")
        }
        models = ["" if pd.isna(text) else rl.models.parse_model(text).to_text() for text in frame.pop("model")]
        out.append(Swept(frame, fronts, models))
    assert sweep.progress.resumed == len(frame)
    pd.testing.assert_frame_equal(out[0].table, out[1].table)
    assert (out[0].fronts, out[0].models) == (out[1].fronts, out[1].models)
    return out[0]


def counted(asked: Case, table: pd.DataFrame | None = None, weight: str | None = "w") -> Any:
    """The counts of the case, of which a third of the rows is kept for the test by its number."""
    table = asked.table.rename_axis("id").reset_index() if table is None else table
    split, given = rl.tables.Split("id", 0.3), rl.tables.open(table, "table")
    features = given.features("y", "g", "id", "w", weight=weight, split=split)
    conditions = rl.Binarizer(thresholds=3).fit(features)
    return rl.tables.count(given, conditions, "y", sensitive="g", weight=weight, split=split)


def same_sweep(one: Swept, other: Swept, sums: float = 1.0, losses: float = 1.0) -> None:
    scaled = one.table.assign(**{name: one.table[name] * sums for name in _SUMS})
    scaled = scaled.assign(**{name: one.table[name] * losses for name in _LOSSES})
    columns = [name for name in scaled if name != "fairness"]
    pd.testing.assert_frame_equal(scaled[columns], other.table[columns], check_dtype=False, rtol=1e-9)
    assert one.fronts == other.fronts


@pytest.mark.few(5)
@pytest.mark.parametrize(("seed", "factor"), halves(FACTORS))
def test_sweeps_with_weights_times_a_constant(seed, factor, tmp_path):
    asked = case(seed)
    one = swept(asked, counted(asked), tmp_path / "one.jsonl")
    other = swept(asked, counted(changed(asked, w=lambda w: w * factor)), tmp_path / "other.jsonl")
    same_sweep(one, other, factor, _loss_scale(asked, factor))


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_sweeps_over_whole_weights_and_over_repeated_rows(seed, tmp_path):
    asked = case(seed)
    rows = asked.table.rename_axis("id").reset_index()
    rows = rows.loc[rows.index.repeat(rows["w"])].sample(frac=1, random_state=seed)
    every = {"groups": sorted(set(rows["g"]))}  # else those of enough rows
    one = swept(asked, counted(asked), tmp_path / "one.jsonl", **every)
    other = swept(asked, counted(asked, rows, None), tmp_path / "other.jsonl", **every)
    pd.testing.assert_frame_equal(one.table[["status", *_LOSSES]], other.table[["status", *_LOSSES]])
    if one.models == other.models:  # and none that is as good
        same_sweep(
            replace(one, table=one.table.drop(columns=["train_few", "test_few"])),  # of numbers of rows
            replace(other, table=other.table.drop(columns=["train_few", "test_few"])),
        )


@pytest.mark.few(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_sweeps_over_other_names(seed, tmp_path):
    asked = case(seed)
    names = {"a": "age, in years", "b": "b <= 3", "c": "é 'c'", "d": "1"}
    renamed = asked.table.rename(columns=names).assign(
        y=asked.table["y"].map(_YES), g=asked.table["g"].map({"men, old": "m, x", "men": "<m>", "women": "w (x)"})
    )
    one, other = (
        swept(asked, rl.datasets.from_frame(table, "y", sensitive="g", excluded=["w"], name="t"), path, cv=3)
        for table, path in ((asked.table, tmp_path / "one.jsonl"), (renamed, tmp_path / "other.jsonl"))
    )
    same_sweep(one, other)


# the same cells in other types --------------------------------------------------------------------------------------
TYPES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "float": lambda X: X.astype({"a": float}),
    "nullable": lambda X: X.convert_dtypes(),
    "arrow": lambda X: X.convert_dtypes(dtype_backend="pyarrow"),
    "categories": lambda X: X.astype({"c": "category", "d": "category"}),
    "objects": lambda X: X.astype(object),
    "small": lambda X: X.astype({"a": np.int8, "b": np.float64}),
}


@pytest.mark.parametrize(("seed", "kind"), halves(TYPES))
def test_the_types_of_columns_do_not_matter(seed, kind):
    asked = case(seed)
    typed = TYPES[kind](asked.features)
    other = replace(asked, table=pd.concat([typed, asked.table[["w", "g", "y"]]], axis=1))
    same(answer(seed), by_estimator(other))


@pytest.mark.few(2)
# one table, every door ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_every_door_gives_one_answer(seed, tmp_path):
    asked = case(seed)
    one = replace(answer(seed), rates=())
    same(one, by_command(asked, tmp_path))
    counted = by_command(asked, tmp_path, "--count")
    same(one, counted, model=False)
    for part in range(3):
        asked.table[part::3].to_csv(tmp_path / f"part{part}.csv", index=False)
    same(counted, by_command(asked, tmp_path, name="part*.csv"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_proof_made_by_one_command_is_checked_by_another(seed, tmp_path, capsys):
    asked = replace(case(seed), weighted=False)
    by_command(asked, tmp_path, "--proof", str(tmp_path / "proof.npz"))
    (model,) = tmp_path.glob("model*.json")
    proof = rl.Certificate.load(tmp_path / "proof.npz")
    assert rl.load_model(model).provenance.data == proof.fingerprint, "both name the data"
    for more in ([], ["--count"]):
        words = ["verify", str(tmp_path / "table.csv"), str(model), str(tmp_path / "proof.npz"), *more]
        words += [] if asked.fairness is None else ["--sensitive", "g"]
        assert main(words) == 0, capsys.readouterr()

"""Random cases of every family of searches: a small table, options, and what is optimal by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import naive
import naive_rule_sets as sets
import numpy as np
import pandas as pd
from naive import decimal as exact
from random_problems import WEIGHTS, Rows, random_rows, some_rows

import rulelab as rl
from rulelab.data.conditions import Condition, attach_conditions
from rulelab.data.directions import NEGATIVE, POSITIVE
from rulelab.engines import CorelsBounds, MultiClassRuleListSearch, RuleListBounds

_CLASSES = ((0, 1), ("no", "yes"), (1, 2))
"""What the labels of a case are called, by the number of its rows."""
CRITERIA: dict[str, tuple[str, ...]] = {
    "EqualOpportunity": ("false_negative",),
    "EqualizedOdds": ("false_negative", "false_positive"),
    "FalsePositiveRateParity": ("false_positive",),
    "DemographicParity": ("selection",),
    "AccuracyParity": ("error",),
}
"""Every criterion of rule sets, by the names of `naive_rule_sets.RATES`."""
_RATES = {**CRITERIA, "PredictiveParity": ("precision",)}
"""Those of rule lists, too."""
CERTIFIED = {
    "precision": "precision", "false_negative_rate": "false_negative", "false_positive_rate": "false_positive",
    "selection_rate": "selection", "accuracy": "error",
}  # fmt: skip
"""The rates' names in certificates."""
_LARGEST = 9  # complexity of sets that are enumerated
_KINDS = list(WEIGHTS)
_TOLERANCES = (0.0, 0.02, 0.1, 1 / 3)
_LIST_PENALTIES = (1e-9, 0.02, 1 / 3, 0.005, 0.9)
_SET_PENALTIES = (0.0, 1e-9, 0.02, 1 / 3, 1.0, 40.0)
_OF_REFERENCES = ("must", "limited", "first", "may", "limits")
"""What the options say in the words of the naive references."""
_POLICIES = ("lower_bound", "objective", "curiosity", "breadth_first", "depth_first", "random")


@dataclass(frozen=True, eq=False)
class Case:
    """A problem and the options of a search on it; a criterion is an option by its name and tolerances."""

    family: str
    seed: int
    rows: Rows
    options: dict[str, Any]

    def __str__(self) -> str:
        shape = f"{len(self.rows.y)}x{self.rows.A.shape[1]}, {self.rows.group.max() + 1} groups"
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items() if value is not None)
        return f"{shape}, weights {self.rows.kind}; {options}"

    def problem(self) -> Any:
        rows, classes = self.rows, np.array(_CLASSES[len(self.rows.y) % len(_CLASSES)])
        A = rows.A
        if self.family == "several_classes":
            return rl.MultiClassProblem.from_arrays(A, rows.y, sample_weight=rows.weight)
        if self.family == "demanding_set":
            A = pd.DataFrame(A, columns=[f"{_column(j)} == {j}" for j in range(A.shape[1])])
            attach_conditions(A, [Condition(_column(j), "==", j) for j in range(A.shape[1])])
        elif self.family in ("demanding", "fair_demanding"):
            conditions = _numbers(A.shape[1])
            A = pd.DataFrame(A, columns=list(map(str, conditions)))
            attach_conditions(A, conditions)
        return rl.Problem.from_arrays(A, classes[rows.y.astype(int)], sample_weight=rows.weight, groups=rows.group)

    def search(self) -> rl.Search:
        options = {name: value for name, value in self.options.items() if name not in _OF_REFERENCES}
        if "fairness" in options:
            options["fairness"] = criterion(options["fairness"])
        return FAMILIES[self.family].search(self.problem(), **options)

    def with_rows(self, rows: Rows) -> Case:
        return replace(self, rows=rows)

    def claimed(self, parameters: Mapping[str, float], arrays: Mapping[str, np.ndarray]) -> Case | None:
        """The same rows with what a proof says that it speaks of; None when that is too much to enumerate."""
        options = self.options | {name: value for name, value in parameters.items() if name in self.options}
        if self.family in ("demanding", "fair_demanding"):
            first, labels = parameters.get("first_rule"), arrays.get("labels")
            options["first"] = None if first is None else int(first)
            options["may"] = [NEGATIVE | POSITIVE] * self.rows.A.shape[1] if labels is None else labels.tolist()
            options["max_length"] = parameters.get("max_length")
        if self.family in ("demanding", "demanding_set", "fair_demanding"):
            options["must"] = [set(np.flatnonzero(row).tolist()) for row in arrays.get("demands", ())]
            uses = [dict(enumerate(row.tolist())) for row in arrays.get("uses", ())]
            options["limited"] = list(zip(uses, arrays.get("most_uses", np.zeros(0)).tolist(), strict=True))
        if self.family.endswith("set"):
            options |= {name: int(parameters[name]) for name in ("max_complexity", "max_conditions")}
            options["loss"] = "zero_one" if parameters.get("zero_one") else "hamming"
            if options["max_complexity"] > _LARGEST:
                return None
        if options.get("max_length") is not None:
            options["max_length"] = int(min(options["max_length"], self.rows.A.shape[1]))
        fair_lists = ("fair_list", "value_list", "least_gap", "fair_falling", "fair_demanding")
        if self.family in fair_lists or self.family.endswith("set"):
            ending = "gap" if self.family.startswith("least_gap") else "tolerance"
            named = {rate: parameters.get(f"{name}_{ending}") for name, rate in CERTIFIED.items()}
            options["limits"] = [(rate, exact(value)) for rate, value in named.items() if value is not None]
            options["min_group_size"] = int(parameters.get("min_group_size", 0))
            if "majority" in parameters:
                options["labels"] = "majority" if parameters["majority"] else "free"
        return replace(self, options=options)

    @property
    def whole(self) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Rows of positive weight, their labels, and their weights in whole numbers (`Rows.scale` times as much)."""
        rows = self.rows
        return rows.A[rows.counted], rows.y[rows.counted], rows.whole

    @cached_property
    def optimum(self) -> Fraction | None:
        """The least objective of any model, None when no model is feasible."""
        return FAMILIES[self.family].optimum(self)

    def objective(self, model: Any) -> Fraction:
        """A model's objective, from its rules alone."""
        return FAMILIES[self.family].objective(self, model)

    def refused(self, model: Any) -> str | None:
        """What makes a model infeasible, None when nothing does."""
        return FAMILIES[self.family].refused(self, model)


def case_of(family: str, seed: int) -> Case:
    """The case of a family and a seed: consecutive seeds take all kinds of weights and all options in turn."""
    rng = np.random.default_rng([list(FAMILIES).index(family), seed])
    return FAMILIES[family].draw(family, seed, rng)


@dataclass(frozen=True)
class Family:
    """What differs between the families of searches."""

    draw: Callable[[str, int, np.random.Generator], Case]
    search: Callable[..., rl.Search]
    optimum: Callable[[Case], Fraction | None]
    objective: Callable[[Case, Any], Fraction]
    refused: Callable[[Case, Any], str | None]


def _some(rng: np.random.Generator, kind: Any) -> Any:
    """Bounds with each switch on or off."""
    return kind(**{field.name: bool(rng.random() < 0.5) for field in fields(kind)})


def _too_long(case: Case, model: Any) -> str | None:
    limit = case.options.get("max_length")
    return f"has {len(model)} rules, at most {limit}" if limit is not None and len(model) > limit else None


def _draw_rule_list(family: str, seed: int, rng: np.random.Generator) -> Case:
    rows = random_rows(rng, _KINDS[seed % len(_KINDS)])
    options: dict[str, Any] = {
        "regularization": _LIST_PENALTIES[seed // len(_KINDS) % len(_LIST_PENALTIES)],
        "policy": _POLICIES[int(rng.integers(len(_POLICIES)))],
        "bounds": _some(rng, CorelsBounds if family == "corels" else RuleListBounds) if seed % 2 else None,
        "random_state": 1,
    }
    if family == "rule_list":
        options["max_length"] = int(rng.integers(0, 4)) if rng.random() < 0.4 else None
        options["beam_width"] = int(rng.choice([0, 2, 500]))
    return Case(family, seed, rows, options)


def _best_list(case: Case) -> Fraction:
    options = case.options
    return naive.best_rule_list(*case.whole, exact(options["regularization"]), options.get("max_length"))


def _list_objective(case: Case, model: Any) -> Fraction:
    return naive.rule_list_objective(*case.whole, exact(case.options["regularization"]), model.antecedents)


def _draw_falling(family: str, seed: int, rng: np.random.Generator) -> Case:
    rows = random_rows(rng, _KINDS[seed % len(_KINDS)], most_columns=4)
    options: dict[str, Any] = {
        "regularization": (0.0, *_LIST_PENALTIES)[seed // len(_KINDS) % (1 + len(_LIST_PENALTIES))],
        "positive_weight": float(rng.choice([1.0, 3.0, 1 / 3, 2.5, 0.1])),
        "violation_penalty": float(rng.choice([0.0, 0.1, 1 / 3, 1.0, 5.0])) if family == "softly_falling" else None,
        "bounds": _some(rng, rl.engines.FallingBounds) if seed % 2 else None,
        "max_length": int(rng.integers(0, 4)) if rng.random() < 0.4 else None,
        "random_state": 1,
        "iterations": int(rng.choice([0, 20])),
    }
    return Case(family, seed, rows, options)


def _soft(case: Case) -> Fraction | None:
    penalty = case.options.get("violation_penalty")
    return None if penalty is None else exact(penalty)


def _best_falling(case: Case) -> Fraction:
    options = case.options
    w, c = exact(options["positive_weight"]), exact(options["regularization"])
    return naive.best_falling_rule_list(*case.whole, w, c, _soft(case), options.get("max_length"))


def _falling_objective(case: Case, model: Any) -> Fraction:
    w, c = exact(case.options["positive_weight"]), exact(case.options["regularization"])
    return naive.falling_objective(*case.whole, w, c, model.antecedents, _soft(case))


def _does_not_fall(case: Case, model: Any) -> str | None:
    if case.options["violation_penalty"] is None and not naive.falls(*case.whole, model.antecedents):
        return "does not fall"
    return _too_long(case, model)


def _draw_fair_falling(family: str, seed: int, rng: np.random.Generator) -> Case:
    """A falling list, and a criterion with a tolerance."""
    rows = random_rows(rng, _KINDS[seed % len(_KINDS)], most_columns=4, n_groups=int(rng.integers(2, 4)))
    name = list(CRITERIA)[seed // len(_KINDS) % len(CRITERIA)]
    options: dict[str, Any] = {
        "fairness": (name, float(rng.choice(_TOLERANCES))),
        "regularization": float(rng.choice((0.0, *_LIST_PENALTIES))),
        "positive_weight": float(rng.choice([1.0, 3.0, 1 / 3, 2.5, 0.1])),
        "bounds": _some(rng, rl.engines.FairFallingBounds) if seed % 2 else None,
        "max_length": int(rng.integers(0, 4)) if rng.random() < 0.4 else None,
        "beam_width": int(rng.choice([0, 2, 200])),
        "min_group_size": 0,
    }
    return Case(family, seed, rows, options)


def _best_fair_falling(case: Case) -> Fraction | None:
    options = case.options
    w, c = exact(options["positive_weight"]), exact(options["regularization"])
    rates, size = _fair_rates(options), options["min_group_size"]
    return naive.best_fair_falling_rule_list(*_fair_data(case), w, c, rates, options["max_length"], size)


def _unfair_or_rising(case: Case, model: Any) -> str | None:
    rates, gaps = _fair_rates(case.options), _model_gaps(case, model)
    if not naive.falls(*case.whole, model.antecedents):
        return "does not fall"
    fair = all(gap <= rates[rate] for rate, gap in gaps.items())
    return _too_long(case, model) if fair else "does not meet its criterion"


def _draw_rule_set(family: str, seed: int, rng: np.random.Generator) -> Case:
    """Seeds 0 to 23 take each loss with each form and each criterion, and so do the next 24."""
    loss, form = ("hamming", "zero_one")[seed % 2], ("dnf", "cnf")[seed // 2 % 2]
    name = (*CRITERIA, None)[seed // 4 % 6]
    rows = random_rows(rng, _KINDS[(seed + seed // 24) % len(_KINDS)], n_groups=int(rng.integers(2, 4)))
    penalty = float(rng.choice(_SET_PENALTIES))
    if rng.random() < 0.5:  # of the size of a row's weight
        penalty = float(f"{penalty * 10.0 ** round(np.log10(rows.weight[rows.counted].mean())):.12g}")
    fairness = None
    if name is not None:
        both = name == "EqualizedOdds" and rng.random() < 0.5
        fairness = (name, *rng.choice(_TOLERANCES, 1 + both).tolist())
    options = {
        "max_complexity": int(rng.integers(2, 9)),
        "max_conditions": None if rng.random() < 0.5 else int(rng.integers(1, 4)),
        "loss": loss,
        "form": form,
        "fairness": fairness,
        "regularization": penalty,
        "random_state": 1,
        "min_group_size": 0,
    }
    case = Case(family, seed, rows, options)
    if name is not None:  # at most as many rows as the second largest group has, so that two groups are compared
        data = data_of(case)
        second = min(sorted(sets.rows_of(data, g, rate) for g in range(data.n_groups))[-2] for rate in CRITERIA[name])
        options["min_group_size"] = int(rng.integers(0, second + 1))
    return case


def criterion(fairness: tuple[Any, ...] | None) -> Any:
    """The engine's criterion of an option of a case."""
    return None if fairness is None else getattr(rl, fairness[0])(*fairness[1:])


def limits(options: dict[str, Any]) -> list[tuple[str, Fraction]]:
    """The same for the naive reference."""
    fairness = options["fairness"]
    if "limits" in options or fairness is None:
        return options.get("limits", [])
    rates = _RATES[fairness[0]]
    tolerances = [exact(t) for t in fairness[1:]]
    return list(zip(rates, tolerances * 2, strict=False))


def data_of(case: Case) -> sets.Data:
    """The rows of positive weight, for the references of rule sets."""
    A, y, weight = case.whole
    return sets.Data(A, y, weight, case.rows.group[case.rows.counted].tolist())


def _best_set(case: Case) -> Fraction | None:
    options, scale = case.options, case.rows.scale
    penalty = exact(options["regularization"]) * scale
    shape = options["max_complexity"], options["max_conditions"], options["loss"], options["form"]
    asked = limits(options), options["min_group_size"], options.get("must", ()), options.get("limited", ())
    best = sets.best_rule_set(data_of(case), *shape, penalty, *asked)
    return None if best is None else best / scale


def _set_objective(case: Case, model: Any) -> Fraction:
    options, scale = case.options, case.rows.scale
    penalty = exact(options["regularization"]) * scale
    return sets.objective(data_of(case), model.clauses, options["loss"], options["form"], penalty) / scale


def _too_complex(case: Case, model: Any) -> str | None:
    options, most = case.options, case.options["max_conditions"]
    if model.complexity > options["max_complexity"]:
        return f"has complexity {model.complexity}, at most {options['max_complexity']}"
    if most is not None and any(len(clause) > most for clause in model.clauses):
        return f"has a rule of more than {most} conditions"
    return None


def _unfair(case: Case, model: Any) -> str | None:
    options, data = case.options, data_of(case)
    if (reason := _too_complex(case, model)) is not None:
        return reason
    errors = sets.errors_of(data, model.clauses, options["loss"], options["form"])
    fair = sets.is_fair(data, errors, limits(options), options["min_group_size"])
    return None if fair else "does not meet its criterion"


def _column(j: int) -> str:
    return f"c{j // 2}"


def _draw_demanding_set(family: str, seed: int, rng: np.random.Generator) -> Case:
    """A case of a rule set that must use something, or may only so often."""
    case = _draw_rule_set(family, seed, rng)
    n = case.rows.A.shape[1]
    columns = sorted({_column(j) for j in range(n)})
    named = {c: {j for j in range(n) if _column(j) == c} for c in columns}
    named |= {f"{_column(j)} == {j}": {j} for j in range(n)}
    at_most = {c: int(rng.integers(0, 3)) for c in columns if rng.random() < 0.4}
    wanted = rng.choice(list(named), int(rng.integers(0 if at_most else 1, 3)), replace=False).tolist()
    complexity = int(rng.integers(2, 7))
    options = case.options | {"max_complexity": complexity, "must_use": wanted or None, "max_uses": at_most or None}
    options["must"] = [named[name] for name in wanted]
    options["limited"] = [(dict.fromkeys(named[c], 1), k) for c, k in at_most.items()]
    return replace(case, options=options)


def _unfair_or_disobedient(case: Case, model: Any) -> str | None:
    used = [j for clause in model.clauses for j in clause]
    if not sets.obeys(used, case.options["must"], case.options["limited"]):
        return "does not use what it must, or something more often than it may"
    return _unfair(case, model)


def _draw_fair_list(family: str, seed: int, rng: np.random.Generator) -> Case:
    """A criterion with a tolerance, or an accuracy at which the gap is to be the least; for value lists one alone."""
    rows = random_rows(rng, _KINDS[seed % len(_KINDS)], most_columns=4, n_groups=int(rng.integers(2, 4)))
    linear = list(CRITERIA)[seed // len(_KINDS) % len(CRITERIA)]
    options: dict[str, Any] = {
        "fairness": ("PredictiveParity" if family == "value_list" else linear, float(rng.choice(_TOLERANCES))),
        "regularization": float(rng.choice(_LIST_PENALTIES)),
        "bounds": _some(rng, rl.engines.FairRuleListBounds) if seed % 2 else None,
        "beam_width": int(rng.choice([0, 2, 400])),
        "min_group_size": 0,
    }
    if family == "least_gap":
        options["min_accuracy"] = float(rng.choice([0.0, 0.4, 0.5, 0.6, 0.7, 0.9]))
        options["max_length"] = int(rng.integers(0, 4)) if rng.random() < 0.6 else None
    else:
        options["labels"] = str(rng.choice(["free", "majority"]))
    if family == "value_list":
        second = sorted(np.bincount(rows.group[rows.counted]).tolist())[-2]
        options["min_group_size"] = int(rng.integers(0, second + 1))
    return Case(family, seed, rows, options)


_GAPS = {"selection": "positive"}
"""Rates that `naive.weighted_gap` calls otherwise."""


def _fair_rates(options: dict[str, Any]) -> dict[str, Fraction]:
    return {_GAPS.get(rate, rate): limit for rate, limit in limits(options)}


def _fair_data(case: Case) -> tuple[Any, ...]:
    return *case.whole, case.rows.group[case.rows.counted].tolist()


def _best_fair(case: Case) -> Fraction | None:
    options, data = case.options, _fair_data(case)
    rates, penalty, size = _fair_rates(options), exact(options["regularization"]), options["min_group_size"]
    longest = data[0].shape[1] if options.get("max_length") is None else int(options["max_length"])
    if case.family == "least_gap":
        best = naive.least_gap_rule_list(*data, list(rates), exact(options["min_accuracy"]), longest, penalty, size)
        return None if best is None else best[0]
    obeys = (lambda d, labels: _disobeys(options, d, labels) is None) if "must" in options else None
    return naive.best_fair_rule_list(*data, penalty, rates, options["labels"], size, obeys, longest)


def _errors(case: Case, model: Any) -> Fraction:
    A, y, weight = case.whole
    wrong = model.predicts_positive(A) != y.astype(bool)
    return Fraction(sum(w for w, is_wrong in zip(weight, wrong, strict=True) if is_wrong), sum(weight))


def _model_gaps(case: Case, model: Any) -> dict[str, Fraction]:
    A, y, weight, groups = _fair_data(case)
    predicted, size = model.predicts_positive(A).tolist(), case.options["min_group_size"]
    rates = _fair_rates(case.options)
    return {rate: naive.weighted_gap(rate, y, weight, groups, predicted, size) for rate in rates}


def _fair_objective(case: Case, model: Any) -> Fraction:
    if case.family == "least_gap":
        return max(_model_gaps(case, model).values())
    return _errors(case, model) + exact(case.options["regularization"]) * len(model)


def _unfair_list(case: Case, model: Any) -> str | None:
    if case.family == "least_gap":
        right = 1 - _errors(case, model) >= exact(case.options["min_accuracy"]) - naive.ROUNDING
        return _too_long(case, model) if right else "is not as accurate as it should be"
    rates = _fair_rates(case.options)
    fair = all(gap <= rates[rate] for rate, gap in _model_gaps(case, model).items())
    return None if fair else "does not meet its criterion"


def _numbers(m: int) -> list[Condition]:
    """Conditions on columns of numbers, two on each: one that more of it meets, and one that less of it does."""
    return [Condition(_column(j), "<=" if j % 2 else ">", j) for j in range(m)]


def _draw_fair_demanding(family: str, seed: int, rng: np.random.Generator) -> Case:
    """A criterion with a tolerance, and what a list must do besides."""
    case = _draw_fair_list("fair_list", seed, rng)
    m = case.rows.A.shape[1]
    conditions = _numbers(m)
    columns = sorted({_column(j) for j in range(m)})
    named = {c: {j for j in range(m) if _column(j) == c} for c in columns}
    named |= {str(condition): {j} for j, condition in enumerate(conditions)}
    at_most = {c: int(rng.integers(0, 3)) for c in columns if rng.random() < 0.2}
    wanted = rng.choice(list(named), int(rng.choice([0, 1, 1, 2])), replace=False).tolist()
    ways = {c: str(rng.choice(["increasing", "decreasing"])) for c in columns if rng.random() < 0.3}
    first = int(rng.integers(m)) if rng.random() < 0.3 else None
    longest = int(rng.integers(0, 4)) if rng.random() < 0.3 or not (at_most or wanted or ways) else None
    y, group = case.rows.y[case.rows.counted], case.rows.group[case.rows.counted]
    fewest = np.minimum(np.bincount(group[y > 0], minlength=3), np.bincount(group[y <= 0], minlength=3))
    options = {name: value for name, value in case.options.items() if name != "bounds"} | {
        "must_use": wanted or None,
        "max_uses": at_most or None,
        "monotone": ways or None,
        "first_rule": None if first is None else str(conditions[first]),
        "max_length": longest,
        "min_group_size": int(rng.integers(0, sorted(fewest.tolist())[-2] + 1)),
        "must": [named[name] for name in wanted],
        "limited": [(dict.fromkeys(named[c], 1), k) for c, k in at_most.items()],
        "first": first,
        "may": [
            NEGATIVE | POSITIVE
            if (way := ways.get(_column(j))) is None
            else (POSITIVE if way == ("decreasing" if j % 2 else "increasing") else NEGATIVE)
            for j in range(m)
        ],
    }
    return Case(family, seed, case.rows, options)


def _draw_demanding(family: str, seed: int, rng: np.random.Generator) -> Case:
    """The same without a criterion."""
    case = _draw_fair_demanding(family, seed, rng)
    return replace(case, options=case.options | {"fairness": None, "labels": "free", "min_group_size": 0})


def _disobeys(options: dict[str, Any], antecedents: Sequence[int], labels: Sequence[bool]) -> str | None:
    """What a list does that it may not, of which every rule captures something; its default is not asked."""
    if not sets.obeys(antecedents, options["must"], options["limited"]):
        return "does not use what it must, or something more often than it may"
    if options["first"] is not None and list(antecedents[:1]) != [options["first"]]:
        return "does not begin as it must"
    may = (options["may"][j] & (POSITIVE if label else NEGATIVE) for j, label in zip(antecedents, labels, strict=False))
    return None if all(may) else "has a rule against a direction"


def _unfair_or_disobedient_list(case: Case, model: Any) -> str | None:
    antecedents = [rule.antecedent for rule in model.rules]
    labels = [rule.prediction == model.classes[1] for rule in model.rules]
    return _disobeys(case.options, antecedents, labels) or _unfair_list(case, model) or _too_long(case, model)


def _draw_least_gap_set(family: str, seed: int, rng: np.random.Generator) -> Case:
    """The rates that are compared, and the accuracy at which their gap is to be the least."""
    rows = some_rows(rng, _KINDS[seed % len(_KINDS)])
    options = {
        "fairness": (list(CRITERIA)[seed // len(_KINDS) % len(CRITERIA)], 0.0),
        "min_accuracy": float(rng.choice([0.0, 0.5, 0.6, 0.65, 0.7, 0.8])),
        "max_complexity": int(rng.integers(2, 7)),
        "max_conditions": int(rng.integers(1, 4)),
        "loss": str(rng.choice(["hamming", "hamming", "zero_one"])),
        "form": str(rng.choice(["dnf", "cnf"])),
        "min_group_size": 0,
    }
    case = Case(family, seed, rows, options)
    data, rates = data_of(case), [rate for rate, _ in limits(options)]
    fewest = min(sorted(sets.rows_of(data, g, rate) for g in range(data.n_groups))[-2] for rate in rates)
    options["min_group_size"] = int(rng.choice([0, 0, min(2, fewest)]))
    return case


def least_gap_of_sets(case: Case) -> tuple[Fraction, Fraction, int] | None:
    """The least gap, and of the sets that have it the least loss and complexity; None: no set is as accurate."""
    options, rates = case.options, [rate for rate, _ in limits(case.options)]
    shape = options["max_complexity"], options["max_conditions"], options["loss"], options["form"]
    asked = rates, exact(options["min_accuracy"]), *shape, options["min_group_size"]
    return sets.least_gap_rule_set(data_of(case), *asked)


def _least_gap(case: Case) -> Fraction | None:
    best = least_gap_of_sets(case)
    return None if best is None else best[0]


def _gap_of_set(case: Case, model: Any) -> Fraction:
    options, data = case.options, data_of(case)
    errors = sets.errors_of(data, model.clauses, options["loss"], options["form"])
    return max(sets.gap(data, errors, rate, options["min_group_size"]) for rate, _ in limits(options))


def _inaccurate_set(case: Case, model: Any) -> str | None:
    options, data = case.options, data_of(case)
    wrong = sum(map(sum, sets.errors_of(data, model.clauses, options["loss"], options["form"])))
    if 1 - Fraction(wrong, sum(data.weight)) < exact(options["min_accuracy"]) - naive.ROUNDING:
        return "is not as accurate as it should be"
    return _too_complex(case, model)


def _draw_several(family: str, seed: int, rng: np.random.Generator) -> Case:
    """Two to four classes that the columns explain in part; weights are whole numbers, as such lists take."""
    rows = random_rows(rng, _KINDS[seed % len(_KINDS)], most_columns=4)
    n, m, k = *rows.A.shape, int(rng.integers(2, 5))
    y = np.where(rng.random(n) < 0.6, rows.A @ (1 + np.arange(m)) % k, rng.integers(0, k, n))
    y[:k] = np.arange(k)  # rows that have weight
    weight = rows.weight if rows.integral else np.ceil(3 * rows.weight)
    options = {
        "regularization": (*_LIST_PENALTIES, 0.123456789012345)[seed // len(_KINDS) % (1 + len(_LIST_PENALTIES))],
        "max_length": int(rng.integers(0, 4)) if rng.random() < 0.4 else None,
    }
    return Case(family, seed, replace(rows, y=y, weight=weight), options)


def _miscounts(case: Case, model: Any) -> str | None:
    A, y, weight = case.whole
    wrong = sum(w for w, is_wrong in zip(weight, model.predict(A) != y, strict=True) if is_wrong)
    return f"predicts {wrong} wrong, but counts {model.errors}" if wrong != model.errors else _too_long(case, model)


def _least_gap_by(make: Callable[..., rl.Search]) -> Callable[..., rl.Search]:
    """Of a criterion without its tolerance."""
    return lambda problem, fairness, **options: make(problem, type(fairness), **options)


_falling_search = partial(rl.search, model="falling_rule_list")
FAMILIES: dict[str, Family] = {
    "corels": Family(_draw_rule_list, rl.CorelsSearch, _best_list, _list_objective, _too_long),
    "falling": Family(_draw_falling, _falling_search, _best_falling, _falling_objective, _does_not_fall),
    "rule_list": Family(_draw_rule_list, rl.search, _best_list, _list_objective, _too_long),
    "rule_set": Family(_draw_rule_set, rl.RuleSetSearch, _best_set, _set_objective, _unfair),
    "demanding_set": Family(_draw_demanding_set, rl.RuleSetSearch, _best_set, _set_objective, _unfair_or_disobedient),
    "softly_falling": Family(_draw_falling, _falling_search, _best_falling, _falling_objective, _does_not_fall),
    "fair_list": Family(_draw_fair_list, rl.search, _best_fair, _fair_objective, _unfair_list),
    "least_gap": Family(_draw_fair_list, _least_gap_by(rl.LeastGapSearch), _best_fair, _fair_objective, _unfair_list),
    "demanding": Family(_draw_demanding, rl.search, _best_fair, _fair_objective, _unfair_or_disobedient_list),
    "fair_falling": Family(
        _draw_fair_falling, _falling_search, _best_fair_falling, _falling_objective, _unfair_or_rising
    ),
    "value_list": Family(_draw_fair_list, rl.search, _best_fair, _fair_objective, _unfair_list),
    "several_classes": Family(_draw_several, MultiClassRuleListSearch, _best_list, _list_objective, _miscounts),
    "fair_demanding": Family(_draw_fair_demanding, rl.search, _best_fair, _fair_objective, _unfair_or_disobedient_list),
    "least_gap_set": Family(
        _draw_least_gap_set, _least_gap_by(rl.engines.LeastGapRuleSetSearch), _least_gap, _gap_of_set, _inaccurate_set
    ),
}

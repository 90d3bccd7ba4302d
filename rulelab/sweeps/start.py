"""Starting a sweep: every argument is checked before the first fit."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

from ..arguments import ParameterError, SweepError, SweepParameterError, Text, short, text_of
from ..datasets import Dataset
from ..parameters import TIME_LIMIT
from ..tables import PatternCounts
from .baselines import BASELINES
from .families import BINARIZING, FAMILIES, PREPARING
from .plan import Plan, counted_plan, make_plan
from .result import Job, Method
from .results_file import ResultsFile, make_key, plain
from .runners import METHODS, Here, OnDask, Process, Runner
from .running import Sweep

BACKENDS = ("threads", "processes")
_FOLDS = 10

Grid = Mapping[str, Sequence[Any]]


def sweep(
    dataset: Dataset | PatternCounts,
    family: str = "rule_list",
    grid: Grid | None = None,
    cv: int | StratifiedShuffleSplit | None = None,
    sensitive: str | Sequence[str] | None = None,
    n_jobs: int = 1,
    client: Any = None,
    *,
    baselines: Sequence[str] | Mapping[str, Grid | None] = (),
    groups: Sequence[str] | None = None,
    resample: str | None = None,
    results: str | os.PathLike[str] | None = None,
    random_state: int = 0,
    time_limit: float | None = TIME_LIMIT,
    gap: float = 0.0,
    backend: str = "threads",
    fixed: Mapping[str, Any] | None = None,
) -> Sweep:
    """Fit a family of models over a grid of parameters, each on the folds of a stratified cross-validation.

    Rows that were counted where they lie are trained and tested on as their counts say.

    Returns at once; the fits go on in the background. Conditions and antecedents are made from the training rows of
    each fold alone. Along the regularization of rule lists, and the complexity of rule sets, each search starts from
    the optimum before.

    Parameters
    ----------
    dataset : Dataset or PatternCounts
        See `rulelab.datasets`. The test rows of counts of `rulelab.tables.count` are those that they keep out.
        Their conditions are those that they were counted under.
    family : str
        One of `rulelab.sweeps.FAMILIES`: a family, or its models of least gap between groups.
    grid : dict of list, optional
        Values by parameter: of the search (regularization, ...), of mining (max_conditions, min_support, max_support,
        by_class: supports count within a class) and of binarizing (thresholds, negations, max_categories). Every
        combination is fitted. Default: the family's.
    cv : int or StratifiedShuffleSplit, optional
        Number of folds, 10 if nothing is said; or one split of scikit-learn's, whose test rows are those of the only
        fold; or 0: no rows are kept out, and there are figures of training rows only. For counts None, or 0.
    sensitive : str or sequence of str, optional
        Sensitive attribute of the data set, or of the counts; several are intersected. It is only measured, not used in
        training, but by methods with fairness constraints. Rows where it is missing are a group of their own,
        "(missing)".
    n_jobs : int
        Fits at a time; -1 for as many as there are processors.
    client : distributed.Client, optional
        Fit on a Dask cluster instead, with as many fits at a time as it has threads unless ``n_jobs`` is larger
        than 1.
    baselines : sequence of str or dict
        Names out of `rulelab.sweeps.BASELINES`, or grids by name (None for the default one). They are fitted on the
        same folds and the conditions of the same binarizing and mining, where the grid holds that fixed.
    groups : sequence of str, optional
        Groups that gaps compare and that fairness constraints are about. Default: those with at least 30 rows of
        either class in the whole data set. Of these a constraint leaves out the ones that have fewer than
        ``min_group_size`` (30, if the grid does not say otherwise) rows in the training part of a fold; the message of
        the fit names them.
    resample : str, optional
        "balance" draws training rows of the rarer class again, until both classes have as many (Angelino et al., JMLR
        18, 2018, appendix E.3); test rows stay as they are.
    results : path, optional
        File in which every result is kept as a line of JSON, in a folder that is there. When it exists already, what
        it holds is not computed again, unless it was computed with another version of this library, other settings or
        limits; `Sweep.messages` says so. One sweep at a time can write to it; what is damaged in it is computed again.
    random_state : int
        Seed of the folds, of resampling and of the baselines.
    time_limit : float, default 40.0
        Seconds of each search. A search that it ends gives a model with a proven gap. None: no limit.
    gap : float
        Each search stops when its objective is proven to be within this of the optimum.
    backend : str
        "threads" or "processes" (loky's) for ``n_jobs`` above 1. The kernels run side by side in threads.
    fixed : dict, optional
        Values of parameters of the family that all fits have in common, such as ``{"must_use": ["age"]}``: as a grid
        with one value of each. What models must use, must not use, begin with, or use at most so often is named as for
        one fit; a name that no column, condition or antecedent of the data set can have is refused. Conditions and
        antecedents are made anew in each fold: where one that has to be used is not there, the fit is "infeasible",
        and its message says so; where one that must not be used is not there, nothing is left out. Baselines know
        nothing of it.

    Returns
    -------
    Sweep

    Raises
    ------
    SweepError
        When an argument is unusable, or the results file: it holds something else, another sweep is writing to it, its
        folder is not there. It is a ValueError.

    Warns
    -----
    SweepWarning
        When the results file was damaged, or holds results of another version of this library.
    """
    if not isinstance(dataset, Dataset | PatternCounts):
        raise SweepError(
            f"the first argument must be a rulelab.datasets.Dataset or counts of a table, not {short(dataset)}; "
            "rulelab.datasets.from_frame(frame, target) makes one of a table"
        )
    if family not in FAMILIES:
        raise SweepError(f"there is no family {family!r}; the families are {', '.join(FAMILIES)}")
    more = sensitive, resample, random_state, time_limit, gap, groups
    if isinstance(dataset, PatternCounts):
        plan = counted_plan(dataset, cv, *more)
    else:
        plan = make_plan(dataset, _FOLDS if cv is None else cv, *more)
    runners = _runners(plan, n_jobs, client, backend)
    grids = _with_baselines(family, _with_fixed(family, grid, fixed), baselines)
    _check_conditions(grids, plan)
    jobs: list[Job] = []
    for name, given in grids.items():
        jobs += _jobs(METHODS[name], given, plan, len(jobs))
    names = dict.fromkeys(name for job in jobs for name in job.plain)
    saved = None if results is None else ResultsFile(results, plan.identity)
    try:
        return Sweep(plan, _chains(jobs, plan), list(names), saved, runners)
    except BaseException:
        if saved is not None:
            saved.close()
        raise


def _with_fixed(family: str, grid: Grid | None, fixed: Mapping[str, Any] | None) -> Grid:
    """The grid of the family, with one value of what is fixed."""
    if fixed is not None and not isinstance(fixed, Mapping):
        raise SweepParameterError("fixed", fixed, "values by parameter")
    chosen = FAMILIES[family].grid if grid is None else grid
    if not fixed or not isinstance(chosen, Mapping):  # what is no grid is refused with those of the baselines
        return chosen
    if twice := [name for name in fixed if name in (grid or ())]:
        raise SweepError(f"grid and fixed both say what {twice[0]} is; leave it out of one")
    return {**chosen, **{name: [value] for name, value in fixed.items()}}


def _with_baselines(family: str, chosen: Grid, baselines: Sequence[str] | Mapping[str, Grid | None]) -> dict[str, Grid]:
    """The grid of the family, then those of the baselines."""
    if isinstance(baselines, str):
        raise SweepParameterError("baselines", baselines, "a list of names or grids by name")
    asked = dict(baselines) if isinstance(baselines, Mapping) else dict.fromkeys(baselines)
    unknown = [name for name in asked if name not in BASELINES]
    if unknown:
        raise SweepError(f"there is no baseline {unknown[0]!r}; the baselines are {', '.join(BASELINES)}")
    fixed = {name: chosen[name] for name in PREPARING if name in chosen and len(chosen[name]) == 1}
    grids: dict[str, Grid] = {family: chosen}
    for name, given in asked.items():
        method = BASELINES[name]
        own = method.grid if given is None else given
        grids[name] = {**{k: v for k, v in fixed.items() if k in method.defaults}, **own}
    return grids


def _check_conditions(grids: Mapping[str, Grid], plan: Plan) -> None:
    """Refuse to make other conditions of rows that are counted already; raises SweepError."""
    named = [(method, name) for method, grid in grids.items() for name in BINARIZING if name in grid]
    if plan.counts is not None and named:
        method, name = named[0]
        raise SweepError(
            f"the grid of {method} names {name}, but the rows are counted under their conditions already; count once "
            "for each of its values"
        )


def _configurations(method: str, defaults: Mapping[str, Any], grid: Grid) -> list[dict[str, Any]]:
    """Every combination of the grid's values, in the order of the grid; SweepError for what is no list of values."""
    if not isinstance(grid, Mapping) or not grid:
        name, value = next(iter(defaults.items()), ("name", 1))
        example = f"{{{name!r}: [{value!r}]}}"
        raise SweepError(f"the grid of {method} is {grid!r}; give lists of values by parameter, such as {example}")
    values = {}
    for name, given in grid.items():
        if name not in defaults:
            near = get_close_matches(str(name), defaults, n=1)
            hint = f"did you mean {near[0]!r}? It" if near else "It"
            raise SweepError(
                f"the grid names {name!r}, which is no parameter of {method}; {hint} has "
                f"{', '.join(defaults) or 'none'}"
            )
        if isinstance(given, str | Mapping) or not isinstance(given, Sequence | np.ndarray | pd.Index | pd.Series):
            raise SweepError(f"grid[{name!r}] must be a list of values, not {given!r}")
        values[name] = given.tolist() if isinstance(given, np.ndarray | pd.Index | pd.Series) else list(given)
        if not values[name]:
            raise SweepError(f"grid[{name!r}] is an empty list; give at least one value")
    return [dict(zip(values, combination, strict=True)) for combination in product(*values.values())]


def _jobs(method: Method, grid: Grid, plan: Plan, first: int) -> list[Job]:
    """The fits of a method on the first fold, equal ones once, which are numbered from ``first``."""
    found: dict[str, Job] = {}
    for varied in _configurations(method.name, method.defaults, grid) if method.defaults or grid else [{}]:
        given, shown = {**method.defaults, **varied}, {name: plain(value) for name, value in varied.items()}
        try:
            method.check(given, plan)
        except (ValueError, TypeError) as error:
            if isinstance(error, SweepError):
                raise
            said = Text("{} with {}: {}", method.name, shown, text_of(error))
            if isinstance(error, ParameterError):
                raise SweepParameterError(error.name, error.value, error.requirement, said) from error
            raise SweepError(said) from error
        key = make_key(method.name, given, method.packages)
        found.setdefault(key, Job(first + len(found), key, method.name, method.baseline, given, shown, fold=0))
    return list(found.values())


def _chains(jobs: Sequence[Job], plan: Plan) -> list[list[Job]]:
    """Fits that differ in the path's parameter only, in its order, so that each can start from the last; by fold."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        path = METHODS[job.method].path
        rest = {name: value for name, value in job.plain.items() if name != path}
        alike = job.key if path is None else f"{job.method} {json.dumps(rest, sort_keys=True)}"
        found.setdefault(alike, []).append(job)
    for chain in found.values():
        chain.sort(key=_along_the_path, reverse=METHODS[chain[0].method].falling)
    return [[replace(job, fold=fold) for job in chain] for fold in range(plan.n_folds) for chain in found.values()]


def _along_the_path(job: Job) -> float:
    """Where a fit stands among those of its chain."""
    path = METHODS[job.method].path
    value = None if path is None else job.parameters[path]
    return float(value) if isinstance(value, int | float | np.number) else math.inf


def _runners(plan: Plan, n_jobs: int, client: Any, backend: str) -> Callable[[Callable[[], bool]], Sequence[Runner]]:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or not (n_jobs >= 1 or n_jobs == -1):
        raise SweepParameterError("n_jobs", n_jobs, "a whole number of at least 1, or -1 for all processors")
    if backend not in BACKENDS:
        raise SweepParameterError("backend", backend, f"one of {', '.join(BACKENDS)}")
    if client is not None:
        if not hasattr(client, "scatter") or not hasattr(client, "ncores"):
            raise SweepError(f"client must be a dask.distributed.Client, not {type(client)}")
        workers = n_jobs if n_jobs > 1 else max(1, sum(client.ncores().values()))
        scattered = client.scatter(plan, broadcast=True, hash=False)
        return lambda stopped: [OnDask(client, scattered, plan, stopped) for _ in range(workers)]
    workers = (os.cpu_count() or 1) if n_jobs == -1 else n_jobs
    runner = Process if backend == "processes" and workers > 1 else Here
    return lambda stopped: [runner(plan, stopped) for _ in range(workers)]

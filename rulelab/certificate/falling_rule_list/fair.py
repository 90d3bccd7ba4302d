"""Checks a proof that no fair falling list costs less: prefixes, each with multipliers that rule out what is left out.

An entry is a prefix: that of an earlier entry and one more antecedent. Each child of an entry is ruled out by the
bound of `fair_states`, or some entry captures the same patterns with no more rules and a last proportion that is no
smaller: it has all completions that the child has, none of them dearer. By induction on the number of patterns that
are left, no list that begins with an entry, the first of which is the empty prefix, is fair and costs less.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ...data.problem import Problem
from ...models import FallingRuleList
from ..certificate import Certificate, CertificateError, certificate_of, check_arrays, check_parameters
from ..demands import counted
from ..outcome import LOWER_BOUND, Outcome, cost_to_prove
from ..rule_set.parity import SUFFIX, check_parities
from .checker import NEEDED, falling_value, prefixes_of
from .fair_states import LARGEST_COST, FairFallingSpace, Prefix, fair_falling_space
from .fair_states import MAX_LENGTH as LONGEST

ARRAYS = {"parents", "antecedents", "multipliers"}
_MOST_ENTRIES = 200_000
Table = dict[bytes, list[tuple[int, int, int]]]


def check(
    problem: Problem,
    model: FallingRuleList,
    parameters: Mapping[str, float],
    arrays: Mapping[str, np.ndarray],
    found: Outcome,
) -> None:
    """Check the prefixes and the multipliers against the problem and the model."""
    check_parameters(parameters, NEEDED, "falling rule lists", ("min_group_size", LONGEST, LOWER_BOUND), SUFFIX)
    check_arrays(arrays, ARRAYS)
    space, objective, least = _space(problem, model, parameters)
    found.objective = float(objective)
    prefixes, multipliers = _entries(space, arrays)
    table: Table = {}
    for prefix in prefixes:
        _enter(table, prefix)
    found.checked.update(sets=len(table), entries=len(prefixes), looked_up=0)
    for k, prefix in enumerate(prefixes):
        for antecedent, child in space.look(prefix, multipliers[k], least):
            found.checked["looked_up"] += 1
            if not _covered(table, child):
                name = problem.names[space.antecedents[antecedent]]
                raise CertificateError(
                    f"entry {k} may be followed by the rule {name!r}, and the certificate does not rule out that "
                    "this leads to a fair list that costs less"
                )
    most = parameters.get(LONGEST)
    among = "" if most is None else f"has at most {counted(int(most), 'rule')}"
    if LOWER_BOUND in parameters:
        found.prove_bound(space.costs.bound(least), among)
        return
    space.costs.claim(least, objective, found)
    which = f" that {among}" if among else ""
    found.prove(f"no fair falling rule list{which} has an objective below {found.lower_bound:.10g}", among)


def prove_fair_falling_rule_list(
    problem: Problem, model: FallingRuleList, parameters: Mapping[str, float], multipliers: Mapping[bytes, np.ndarray]
) -> Certificate:
    """A proof from the multipliers that a search has chosen for the sets that it has met.

    ``parameters``: ``regularization``, ``positive_weight``, ``min_group_size``, the tolerances of rates, and maybe
    ``max_length`` and ``lower_bound``, where only that is to be proven. ``multipliers`` (float64 arrays, shape
    (n_constraints + 1,)): by packed sets of the problem's patterns: of each rate, in the order of their names, and pair
    of groups, and of the proportion, as a share of all weight; in units of the objective. Raises CertificateError when
    a fair list is better, or the multipliers do not prove that none is.
    """
    space, _, value = _space(problem, model, parameters)
    multipliers = {key: mu / np.append(np.ones(len(mu) - 1), space.costs.total) for key, mu in multipliers.items()}
    first = space.everything
    prefixes, parents, antecedents = [first], [-1], [-1]
    chosen = [multipliers.get(_key(first), np.zeros(len(space.shifts) + 1))]
    table: Table = {}
    _enter(table, first)
    waiting = deque([0])
    while waiting:
        k = waiting.popleft()
        for antecedent, child in space.look(prefixes[k], chosen[k], value):
            if _covered(table, child):
                continue
            if len(prefixes) == _MOST_ENTRIES:
                raise CertificateError(f"the proof would have more than {_MOST_ENTRIES} entries")
            _enter(table, child)
            waiting.append(len(prefixes))
            prefixes.append(child)
            parents.append(k)
            antecedents.append(antecedent)
            chosen.append(multipliers.get(_key(child), chosen[k]))
    arrays: dict[str, np.ndarray | list[int]] = {"parents": parents, "antecedents": antecedents}
    arrays["multipliers"] = np.array(chosen, dtype=np.float64)
    return certificate_of(problem, model.family, parameters, arrays)


def _space(
    problem: Problem, model: FallingRuleList, parameters: Mapping[str, float]
) -> tuple[FairFallingSpace, Fraction, int]:
    """The space, the objective of a model that is as fair as the parameters say, and the cost to be proven."""
    space = fair_falling_space(problem, parameters)
    grid, worth = space.grid, parameters["positive_weight"]
    value, objective = falling_value(problem, model, space.costs, worth, grid, space.whole)
    if space.longest is not None and len(model) > space.longest:
        raise CertificateError(f"the model has {len(model)} rules, more than the {space.longest} of the certificate")
    check_parities(space.sides, space.constraints, model.predicts_positive(problem.matrix()).astype(np.int64))
    p, n = space.share(space.everything.left)
    above = p * space.worth > n - p
    alone = space.exactly.d.sum(axis=1) * int(above)
    a, b = space.costs.per_positive, space.costs.per_negative
    cost = b * int(grid.negatives.sum()) if above else a * int(grid.positives.sum())
    least = cost_to_prove(parameters, value, space.costs.unit, space.costs.over, space.costs.hidden)
    if least << space.digits > LARGEST_COST:
        raise CertificateError("the model costs too much for exact sums: it has too many rules at this regularization")
    if cost < least and space.exactly.holds(alone[:, None])[0]:
        raise CertificateError("the model is not optimal for these parameters: the else alone is fair and costs less")
    return space, objective, least


def _entries(space: FairFallingSpace, arrays: Mapping[str, np.ndarray]) -> tuple[list[Prefix], np.ndarray]:
    """The prefixes of the certificate, made from what leads to them, and their multipliers."""
    names, m, multipliers = ("parents", "antecedents"), len(space.antecedents), arrays["multipliers"]
    parents, antecedents = prefixes_of(arrays, names, m, space.grid.n_patterns)
    if multipliers.dtype != np.float64 or multipliers.shape != (len(parents), len(space.shifts) + 1):
        raise CertificateError("'multipliers' must be numbers for each entry, rate and pair of groups, and proportion")
    if not np.isfinite(multipliers).all():
        raise CertificateError("the multipliers must be finite")
    prefixes = [space.everything]
    for parent, j in zip(parents[1:].tolist(), antecedents[1:].tolist(), strict=True):
        prefix = space.after(prefixes[parent], j)
        if prefix is None:
            raise CertificateError("an entry is a prefix that does not fall, or its last rule captures nothing")
        prefixes.append(prefix)
    return prefixes, multipliers


def _key(prefix: Prefix) -> bytes:
    return np.packbits(prefix.left).tobytes()


def _enter(table: Table, prefix: Prefix) -> None:
    table.setdefault(_key(prefix), []).append((prefix.p, prefix.n, prefix.length))


def _covered(table: Table, child: Prefix) -> bool:
    """Whether an entry makes a prefix needless."""
    found = table.get(_key(child), ())
    return any(length <= child.length and child.p * n <= p * child.n for p, n, length in found)

"""Certifiably optimal rule lists among those that obey the user's demands, best prefix first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...arguments import is_whole, require
from ...certificate import Certificate, prove_demanding_rule_list
from ...certificate.bound import for_bound
from ...data.directions import NEGATIVE, POSITIVE, as_directions
from ...data.naming import as_names, limits_of
from ...data.problem import Problem
from ...kernels.bit_words import transposed
from ...kernels.jit import is_compiled
from ...models import RuleList
from ...proving import kept
from ...rehearsal import noisy_problem
from ...search import solve
from ...snapshot import Incumbent, Snapshot, Status, bound_shown, standing
from ..costs import costs_of, largest_cost, require_regularization
from ..fair.passes import holds
from ..phased import RelaxedFirst
from ..start import antecedents_of
from . import kernels
from .completions import Completions
from .demands import asked_of, demands_of
from .labels import Counted, Label, Space

_LARGEST_COST = 1 << 61
_BYTES_OF_A_LABEL = 400
_ROUNDED_DOWN = 1 - 2.0**-50
_WIDEST = 12
_PRUNED = ("always: threshold", "completions", "weak rule", "same set", "demands")


class ConstrainedRuleListSearch(RelaxedFirst):
    """Step-wise exact search for the rule list of least ``errors / n + regularization * rules`` that obeys demands.

    `RuleListSearch` makes one when it is given any. A rule that captures no row does not count as use.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Cost of one rule, 0 < regularization < 1.
    must_use : sequence of str, optional
        Columns, conditions and antecedents. Each must be used by a rule: one with a condition on the column, one that
        has the condition, or one that has all conditions of the antecedent.
    first_rule : str, optional
        The antecedent of the first rule.
    max_uses : mapping of str to int, optional
        Most conditions on a column in the whole list.
    monotone : mapping of str to {"increasing", "decreasing"}, optional
        Columns of numbers or Booleans of which more can only help a positive prediction, or only hinder it, whatever
        the others hold. No rule that predicts the positive class has a condition that points against the direction, and
        no rule that predicts the negative class one that points along it, see `rulelab.data.directions`; the proof is
        over the lists that obey this.
    max_length : int, optional
        Most rules in a list, not counting the default rule.
    memory_limit : int, optional
        Bytes that the search may take. When they are used up it stops with status LIMIT and a valid lower bound; raise
        ``memory_limit`` and call `advance` again to go on.
    beam_width : int
        0 begins without a beam search for the first lists; above that the beam is as wide, but narrow in any case.
    warm_start : RuleList or sequence of int, optional
        A list to begin with, if it obeys: a model, whose antecedents are found by name, or indices of antecedents.

    Raises
    ------
    ValueError
        When an argument is out of range, or nothing has a name; the message lists the nearest names.

    Notes
    -----
    Every prefix is a label on the set that it leaves, with what it has used. Its bound is its cost, with the least cost
    of completing the set without any demand, which is proven as far as it matters, and with what the demands that it
    has not met yet cost on top. A prefix is dropped when another one leaves the same set, costs no more, and has met
    no fewer demands.
    """

    family: ClassVar[str] = "rule_list"

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        must_use: Sequence[str] | None = None,
        first_rule: str | None = None,
        max_uses: Mapping[str, int] | None = None,
        max_length: int | None = None,
        memory_limit: int | None = None,
        beam_width: int = 500,
        warm_start: RuleList | Sequence[int] | None = None,
        monotone: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(problem)
        require(
            ("problem", problem, isinstance(problem, Problem), "a rulelab.Problem"),
            ("max_length", max_length, max_length is None or is_whole(max_length, 0), "an integer >= 0 or None"),
            ("memory_limit", memory_limit, memory_limit is None or is_whole(memory_limit, 1), "bytes > 0 or None"),
            ("beam_width", beam_width, is_whole(beam_width, 0), "an integer >= 0"),
        )
        require_regularization(problem, regularization)
        self.regularization = float(regularization)
        self.must_use = as_names(must_use, "must_use")
        self.first_rule = first_rule
        self.max_uses = limits_of(max_uses)
        self.max_length = max_length
        self.memory_limit = memory_limit
        self.beam_width = int(beam_width)
        self.warm_start = None if warm_start is None else antecedents_of(warm_start, problem)
        self.monotone = dict(as_directions(monotone))
        directions = tuple(self.monotone.items())
        self._demands = demands_of(problem, self.must_use, first_rule, self.max_uses, max_length, directions)
        self._costs = costs_of(problem, self.regularization, problem.n_antecedents)
        self._worst = largest_cost(self._costs, problem, self.regularization, _LARGEST_COST)
        self._phase = "reducing"
        self._best: tuple[int, tuple[int, ...] | None] = (self._worst + 1, None)
        self._found_at = (0.0, 0)
        self._incumbent: Incumbent | None = None
        self._proven = 0
        self._out_of_memory = False
        self._pruned = dict.fromkeys(_PRUNED, 0)
        self._created = self._expanded = 0
        self._labels: list[Label] = []
        self._by_set: dict[bytes, list[int]] = {}
        self._alive: list[bool] = []
        self._queue: list[tuple[int, int, int, int]] = []
        self._beam: list[int] = []
        self._wider: dict[tuple[bytes, int], tuple[int, Label]] = {}
        self._space: Space
        self._completions: Completions

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "regularization": self.regularization,
            "must_use": list(self.must_use) or None,
            "first_rule": self.first_rule,
            "max_uses": self.max_uses or None,
            "max_length": self.max_length,
            "memory_limit": self.memory_limit,
            "beam_width": self.beam_width,
            "warm_start": self.warm_start,
            "monotone": self.monotone or None,
        }

    @property
    def compiled(self) -> bool:
        return is_compiled(kernels.complete)

    @kept
    def certificate(self, bound_only: bool = False) -> Certificate:
        """The proof that no list that obeys is better, for `rulelab.verify`, to save and to hand on.

        Parameters
        ----------
        bound_only : bool
            Of a search that has not ended: prove its lower bound. `rulelab.verify` answers with the state "bound".

        Raises
        ------
        CertificateError
            When the search has not ended with status OPTIMAL, or weights have too many digits.
        """
        bound = self._to_prove(bound_only)
        incumbent = self._make_incumbent()
        assert incumbent is not None
        return self.certificate_of(incumbent.model, bound)

    def certificate_of(self, model: RuleList, bound: float | None = None) -> Certificate:
        """The proof that a list that obeys is one of the best, or with ``bound`` that none is below that.

        Parameters
        ----------
        model : RuleList
        bound : float, optional
            An objective.
        """
        if self._left_in:
            return self._proof_of(model, bound)
        demands, asked = self._demands, asked_of(self._demands, bool(self.monotone))
        parameters = {"regularization": self.regularization, **for_bound(bound)}
        for name, value in (("first_rule", demands.first), ("max_length", self.max_length)):
            parameters |= {} if value is None else {name: float(value)}
        bounds = self._completions.proven()
        return prove_demanding_rule_list(self.problem, model, parameters, asked, bounds)

    def _rehearse(self) -> None:
        self._free_search(self.problem, self.regularization).compile()
        solve(ConstrainedRuleListSearch(noisy_problem(), 0.01, first_rule="antecedent 0").without_relaxation())

    def _unit(self, phase: str) -> bool:
        if phase == "incumbent":
            self._widen()
        elif phase == "searching":
            self._search()
        return phase in ("incumbent", "searching")

    def _prepare(self) -> None:
        self._space = space = Space(self.problem, self._costs, self._demands)
        columns = transposed(self.problem.words, self.problem.n_antecedents)[self._demands.labels > 0]
        self._completions = Completions(columns, space.net, self._costs.per_rule)
        start = space.start()
        if start is None:
            self._phase = "infeasible"
            return
        if self.warm_start is not None:
            self._offer_list(self.warm_start)
        self._enter(start)
        self._offer(start, space.count(start.words))
        self._beam = [0]
        self._phase = "incumbent" if self.beam_width else "searching"
        self._queue.append((0, 0, 0, -1))

    def _widen(self) -> None:
        """What a prefix of the beam leads to; after the last of a level, the children that are the next one.

        They cost least where the list ends, and lack fewest demands.
        """
        found, k = self._wider, self._beam.pop(0)
        label = self._labels[k]
        counted = self._space.count(label.words)
        children = self._space.children(label, counted)
        self._take(label, children.total, children.met, children.antecedent)
        lacking = np.bitwise_count(self._demands.all & ~children.met).astype(np.int64)
        value = children.total + self._costs.per_rule * lacking
        for i in np.argsort(value, kind="stable")[: 2 * _WIDEST].tolist():
            child = self._space.child(label, children, i)._replace(parent=k)
            key = child.words, child.met
            if key not in found or found[key][0] > value[i]:
                found[key] = int(value[i]), child
        self.work += 1
        if self._beam:
            return
        best = sorted(found.values(), key=lambda one: one[0])[: min(self.beam_width, _WIDEST)]
        self._wider = {}
        if not best or best[0][1].length * self._costs.per_rule >= self._best[0]:
            self._labels, self._alive, self._beam = self._labels[:1], self._alive[:1], []
            self._phase = "searching"
            return
        first = len(self._labels)
        self._labels += [label for _, label in best]
        self._alive += [True] * len(best)
        self._beam = list(range(first, len(self._labels)))

    def _search(self) -> None:
        """Take the prefix of the least bound: prove its bound, or extend it."""
        if not self._queue or self._queue[0][0] >= self._best[0]:
            self._proven = self._best[0]
            self._phase = "infeasible" if self._best[1] is None else "certified"
            return
        self._proven = max(self._proven, self._queue[0][0])
        key, _, k, sure = self._queue[0]
        if not self._alive[k]:
            heapq.heappop(self._queue)
            return
        label = self._labels[k]
        counted = self._space.count(label.words)
        if sure < 0:
            self._bound(key, k, label, counted)
        else:
            heapq.heappop(self._queue)
            self._extend(k, label, counted, sure)
        self.work += 1
        if self.memory_limit is not None and self.memory_bytes > self.memory_limit:
            self._out_of_memory = True

    def _bound(self, key: int, k: int, label: Label, counted: Counted) -> None:
        """Prove a part of the bound of the prefix at the top of the queue."""
        extra = self._space.missing(counted, label)
        if extra is None:
            self._drop("demands", k)
            return
        base = label.cost + counted.all_inevitable + extra
        nearby = key + self._costs.per_rule // 4
        room = min(self._best[0] - 1, nearby) - base
        try:
            chosen = np.frombuffer(label.words, dtype=np.uint64)
            found = self._completions.least(chosen, counted.stop, room, self._free)
        except MemoryError:
            self._out_of_memory = True
            return
        if found is None:
            return
        least, sure = found
        if base + least >= self._best[0]:
            self._drop("completions", k)
            return
        heapq.heapreplace(self._queue, (max(key, base + least), k, k, least if sure else -1))

    def _drop(self, bound: str, k: int) -> None:
        heapq.heappop(self._queue)
        self._alive[k] = False
        self._pruned[bound] += 1

    def _extend(self, k: int, label: Label, counted: Counted, least: int) -> None:
        """Enter what may follow a prefix whose set costs this much to complete."""
        self._expanded += 1
        children = self._space.children(label, counted)
        self._take(label, children.total, children.met, children.antecedent)
        below = label.cost + counted.all_inevitable + least + children.skip
        bound = np.maximum(children.least, below)
        useful = bound < self._best[0]
        self._pruned["always: threshold"] += int((children.least >= self._best[0]).sum())
        self._pruned["weak rule"] += int((~useful & (children.least < self._best[0])).sum())
        for i in np.flatnonzero(useful).tolist():
            child = self._space.child(label, children, i)._replace(parent=k)
            if self._enter(child):
                place = len(self._labels) - 1
                heapq.heappush(self._queue, (int(bound[i]), place, place, -1))

    def _enter(self, label: Label) -> bool:
        """Keep a prefix, unless one that is kept outdoes it."""
        self._created += 1
        others = self._by_set.setdefault(label.words, [])
        if any(self._space.outdoes(self._labels[k], label) for k in others):
            self._pruned["same set"] += 1
            return False
        for k in [k for k in others if self._space.outdoes(label, self._labels[k])]:
            others.remove(k)
            self._alive[k] = False
            self._pruned["same set"] += 1
        others.append(len(self._labels))
        self._labels.append(label)
        self._alive.append(True)
        return True

    def _take(self, label: Label, totals: np.ndarray, met: np.ndarray, antecedents: np.ndarray) -> None:
        """Take over the best list that ends with one more rule than a prefix."""
        totals = np.where(met == self._demands.all, totals, self._best[0])
        if len(totals) and totals.min() < self._best[0]:
            i = int(totals.argmin())
            self._keep(int(totals[i]), (*self._path(label), int(antecedents[i])))

    def _offer(self, label: Label, counted: Counted) -> None:
        """Take over the list that ends here."""
        cost = label.cost + counted.all_inevitable + counted.stop
        if label.met == self._demands.all and cost < self._best[0]:
            self._keep(cost, self._path(label))

    @property
    def _least_known(self) -> int:
        return self._best[0]

    def _try(self, rules: tuple[tuple[int, int], ...], default: int) -> None:
        self._offer_list([a for a, _ in rules])

    def _offer_list(self, antecedents: Sequence[int]) -> None:
        """Take over a list of the problem's antecedents, if it obeys, without the rules that capture nothing."""
        wrong, kept, left = 0, [], np.ones(self.problem.n_patterns, dtype=bool)
        for a in [*antecedents, None]:
            hit = left if a is None else left & holds(self.problem, a)
            missed, alarms = int(self._costs.positives[hit].sum()), int(self._costs.negatives[hit].sum())
            may = NEGATIVE | POSITIVE if a is None else int(self._demands.labels[a])
            wrong += min([w for w, label in ((missed, NEGATIVE), (alarms, POSITIVE)) if may & label], default=0)
            kept += [a] if a is not None and hit.any() else []
            left = left & ~hit
        cost = self._costs.per_error * wrong + self._costs.per_rule * len(kept)
        if self._demands.are_met(kept) and cost < self._best[0]:
            self._best, self._found_at, self._incumbent = (cost, tuple(kept)), (self._seconds, self.work), None

    def _keep(self, cost: int, places: tuple[int, ...]) -> None:
        chosen = self._space.antecedents[list(places)].tolist()
        if self._demands.first is not None:
            chosen[0] = self._demands.first
        self._best, self._found_at, self._incumbent = (cost, tuple(chosen)), (self._seconds, self.work), None

    def _path(self, label: Label) -> tuple[int, ...]:
        """The places of a prefix's antecedents."""
        out: list[int] = []
        while label.antecedent >= 0:
            out.append(label.antecedent)
            if label.parent < 0:
                break
            label = self._labels[label.parent]
        return tuple(reversed(out))

    @property
    def _free(self) -> int | None:
        return None if self.memory_limit is None else self.memory_limit - self.memory_bytes

    @property
    def memory_bytes(self) -> int:
        """Bytes of the arrays of the search, and about those of its prefixes."""
        if self._phase == "reducing":
            return 0
        each = _BYTES_OF_A_LABEL + len(self._space.everything)
        return self._space.nbytes + self._completions.nbytes + each * len(self._labels)

    def _snapshot(self) -> Snapshot:
        costs, ended = self._costs, self._phase in ("certified", "infeasible")
        incumbent = self._make_incumbent()
        status, limit = standing(self._phase == "certified", costs.exact, "memory" if self._out_of_memory else None)
        lower = max(self._own_bound * _ROUNDED_DOWN, self._floor)
        if self._phase == "infeasible":
            status = Status.INFEASIBLE
        lower = bound_shown(math.inf if incumbent is None else incumbent.objective, lower, status)
        started = self._phase != "reducing"
        return Snapshot(
            step=0,
            work=self.work,
            seconds=0.0,
            status=status,
            incumbent=incumbent,
            lower_bound=lower,
            counts={
                "created": self._created,
                "expanded": self._expanded,
                "queued": 0 if ended else len(self._queue),
                "stored": len(self._labels),
                "sets_counted": self._completions.n_sets if started else 0,
            },
            pruned=self._cut(self._pruned, self._queue),
            log10_remaining=0.0 if ended else np.inf,
            memory_bytes=self.memory_bytes,
            phase=self._phase,
            limit=limit,
            detail={
                "antecedents": self.problem.n_antecedents,
                "patterns": self.problem.n_patterns,
                "resolution": costs.exactness,
            },
        )

    def _make_incumbent(self) -> Incumbent | None:
        """The best list as a model; None when there is none yet."""
        if self._incumbent is None and self._best[1] is not None:
            model = RuleList.from_problem(self.problem, self._best[1], self._predictions(self._best[1]))
            objective = model.objective(self.regularization)
            self._incumbent = Incumbent(model, objective, model.errors, model.complexity, self._found_at)
        return self._incumbent

    def _predictions(self, antecedents: Sequence[int]) -> list[int] | None:
        """What the rules and the default predict: majorities where they may; None: everywhere."""
        if not self.monotone:
            return None
        masses, out, left = self.problem.masses, [], np.ones(self.problem.n_patterns, dtype=bool)
        for a in [*antecedents, None]:
            hit = left if a is None else left & holds(self.problem, a)
            may = NEGATIVE | POSITIVE if a is None else int(self._demands.labels[a])
            most = sum(masses.positives[hit].tolist()) > sum(masses.negatives[hit].tolist())
            out.append(int(most if may == NEGATIVE | POSITIVE else may == POSITIVE))
            left = left & ~hit
        return out

"""Certifiably optimal rule lists among those that obey the user's demands, fair ones too, best prefix first."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arguments import ParameterError, Text
from ...certificate import Certificate, prove_constrained_rule_list
from ...data.directions import NEGATIVE, POSITIVE, as_directions
from ...data.fairness import Criterion, PredictiveParity
from ...data.naming import as_names, limits_of
from ...data.problem import Problem
from ...kernels.jit import is_compiled
from ...models import RuleList
from ...parameters import check_arguments
from ...rehearsal import grouped_problem, noisy_problem
from ...stepping import solve
from ..costs import first_captures
from ..fair import beam as beams
from ..fair import state
from ..fair.relaxation import Reduced, relaxed, scaled
from ..fair.search import FairRuleListSearch
from . import completions
from .completions import Completions
from .demands import asked_of, demands_of, numbers_of
from .prefixes import Following, Opened, Prefix, Space

_BYTES_OF_A_PREFIX = 600
_WIDEST = 12
_PRUNED = ("always: threshold", "completions", "weak rule", "same set", "demands", "reach")


class ConstrainedRuleListSearch(FairRuleListSearch):
    """Step-wise exact search for the rule list of least ``errors / n + regularization * rules`` that obeys demands.

    `rulelab.search` makes one when it is given any, or a criterion, other than predictive parity, and a ``max_length``.
    A rule that captures no row does not count as use.

    Parameters
    ----------
    problem, regularization, max_length, memory_limit
        As of `rulelab.RuleListSearch`.
    must_use : sequence of str, optional
        Columns, conditions and antecedents. Each must be used by a rule: one with a condition on the column, one that
        has the condition, or one that has all conditions of the antecedent.
    first_rule : str, optional
        The antecedent of the first rule.
    max_uses : mapping of str to int, optional
        Most conditions on a column in the whole list.
    beam_width : int
        Width of the beam searches for the first lists, which is narrow in any case; 0 for none.
    warm_start : RuleList or sequence of int, optional
        A list to begin with, if it obeys: a model, whose antecedents are found by name, or indices of antecedents.
    monotone : mapping of str to {"increasing", "decreasing"}, optional
        Columns of numbers or Booleans of which more can only help a positive prediction, or only hinder it, whatever
        the others hold. No rule that predicts the positive class has a condition that points against the direction, and
        no rule that predicts the negative class one that points along it, see `rulelab.data.directions`; the proof is
        over the lists that obey this.
    fairness : Criterion, optional
        Such as `rulelab.EqualOpportunity`, over the problem's groups: only lists that are fair, too, count.
    labels, min_group_size
        As of `FairRuleListSearch`, of lists that have to be fair; the others predict what makes them best. With
        ``labels="majority"`` a list of which a rule may not predict its majority does not obey.

    Raises
    ------
    ValueError
        When an argument is out of range, or nothing has a name; the message lists the nearest names.

    Notes
    -----
    The prefix with the least bound is extended first. Its bound is its cost in the relaxation of `FairRuleListSearch`,
    which is its cost where nothing has to be fair, with the least relaxed cost of completing what it leaves without any
    demand, and with what the demands that it has not met yet cost on top. Of two prefixes that leave the same set one
    is dropped when it costs no less, has met no more and used no less, and can only be completed to a fair list where
    the other one can.
    """

    _has_to_be_fair = False

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
        fairness: Criterion | None = None,
        labels: str = "free",
        min_group_size: int = 0,
    ) -> None:
        if isinstance(fairness, PredictiveParity):
            text = Text(
                "lists of predictive parity cannot be asked to obey anything else: leave out {must_use}, {first_rule}, "
                "{max_uses}, {monotone} and {max_length}, or choose another criterion"
            )
            raise ParameterError("fairness", fairness, "another criterion", text)
        super().__init__(
            problem, regularization, fairness, labels, None, memory_limit, beam_width, min_group_size, warm_start
        )
        if fairness is None:
            self.labels = "free"
        check_arguments(max_length=max_length)
        self.must_use = list(as_names(must_use, "must_use")) or None
        self.first_rule = first_rule
        self.max_uses = limits_of(max_uses) or None
        self.max_length = max_length
        directions = as_directions(monotone)
        self.monotone = dict(directions) or None
        self._demands = demands_of(problem, self.must_use, first_rule, self.max_uses, max_length, directions)
        self._pruned = dict.fromkeys(_PRUNED, 0)
        self._created = self._expanded = 0
        self._prefixes: list[Prefix] = []
        self._alive: list[bool] = []
        self._spans: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        self._by_set: dict[bytes, list[int]] = {}
        self._queue: list[tuple[int, int, int, int]] = []
        self._beam: list[int] = []
        self._wider: dict[tuple[bytes, int, tuple[int, ...]], tuple[int, Prefix]] = {}
        self._space: Space
        self._completions: Completions

    @property
    def parameters(self) -> dict[str, Any]:
        of_fair = ("fairness", "labels", "min_group_size") if self.fairness is None else ()
        return {name: value for name, value in super().parameters.items() if name not in of_fair}

    @property
    def compiled(self) -> bool:
        return is_compiled(completions.complete, beams.advance)

    def _certificate(self, bound: float | None) -> Certificate:
        return self.certificate_of(self._best_model(), bound)

    def certificate_of(self, model: RuleList, bound: float | None = None) -> Certificate:
        """The proof that a list that obeys is one of the best, or with ``bound`` that none is below that.

        Parameters
        ----------
        model : RuleList
        bound : float, optional
            An objective.
        """
        parameters = self._claim(bound) | numbers_of(self._demands, self.max_length)
        asked = asked_of(self._demands, bool(self.monotone))
        multipliers = None if self.fairness is None else self._multipliers_of_pairs()
        bounds = self._completions.proven() if hasattr(self, "_completions") else {}
        return prove_constrained_rule_list(self.problem, model, parameters, bounds, multipliers, asked)

    def _obeyed(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        numbers = super()._obeyed()[0] | numbers_of(self._demands, self.max_length)
        return numbers, asked_of(self._demands, bool(self.monotone))

    def _rehearse(self) -> None:
        self._free_search(self.problem, self.regularization).compile()
        problem, price = (noisy_problem(), 0.05) if self.fairness is None else (grouped_problem(), 0.01)
        options: dict[str, Any] = {"beam_width": 2, "first_rule": problem.names[0], "fairness": self.fairness}
        solve(ConstrainedRuleListSearch(problem, price, **options).without_relaxation())

    def _unit(self, phase: str, most: int) -> bool:
        if phase == "incumbent" and self._beam:
            self._widen()
            return True
        return super()._unit(phase, most)

    def _start_search(self) -> None:
        """Relax the problem with the best multipliers, and look for lists along a beam."""
        problem, constraints, rules = self.problem, self._constraints, self._rules
        self._chosen = self._multipliers.best
        costs = self._costs
        wrong = costs.per_error * np.stack([costs.positives, costs.negatives])
        whole = Reduced(np.arange(problem.n_antecedents), problem.words, np.concatenate([wrong, constraints.d]))
        relaxation = relaxed(whole, constraints.low, constraints.high, self._chosen, rules.shift)
        self._space = space = Space(problem, costs, constraints, self._demands, relaxation, rules)
        del self._multipliers
        if not len(space.antecedents):
            self._finish()
            return
        self._completions = Completions(space.columns, relaxation.wrong[0] - relaxation.wrong[1], rules.relaxed_rule)
        start = space.start()
        self._enter(start)
        self._queue.append((start.relaxed, 0, 0, -1))
        self._phase = "searching"
        if self.beam_width:
            self._phase, self._beam = "incumbent", [0]

    @property
    def _most(self) -> int:
        """The largest relaxed cost of a list that is better than the best one."""
        return scaled(self._best.cost - 1, self._rules.shift)

    def _widen(self) -> None:
        """Extend a prefix of the beam; the cheapest children that lack fewest demands are its next level."""
        space, L, found, k = self._space, self._rules.relaxed_rule, self._wider, self._beam.pop(0)
        prefix = self._prefixes[k]
        opened = space.open(prefix.words)
        following = space.following(prefix, opened, space.may_follow(prefix, opened))
        self._end(k, following, opened)
        lacking = np.bitwise_count(self._demands.all & ~following.met).astype(np.int64)
        rest = opened.all_captured[:, None] - opened.captured[:, following.antecedent]
        value = following.relaxed + rest.min(axis=0) + L * lacking
        for i in np.argsort(value, kind="stable")[: 2 * _WIDEST].tolist():
            child = space.child(k, prefix, following, i)
            key = child.words, child.met, child.sums
            if key not in found or found[key][0] > value[i]:
                found[key] = int(value[i]), child
        self.work += 1
        if self._beam:
            return
        best = sorted(found.values(), key=lambda one: one[0])[: min(self.beam_width, _WIDEST)]
        self._wider = {}
        if not best or best[0][1].relaxed + L > self._most:
            del self._prefixes[1:], self._alive[1:]
            self._beam, self._phase = [], "searching"
            return
        self._beam = list(range(len(self._prefixes), len(self._prefixes) + len(best)))
        self._prefixes += [prefix for _, prefix in best]
        self._alive += [True] * len(best)

    def _search(self) -> None:
        """Take the prefix of the least bound: prove its bound, or extend it."""
        queue = self._queue
        if not queue or queue[0][0] > self._most:
            self._proven = self._best.cost
            self._finish()
            return
        self._prove(queue[0][0])
        key, _, k, least = queue[0]
        if not self._alive[k]:
            heapq.heappop(queue)
            return
        prefix = self._prefixes[k]
        opened = self._space.open(prefix.words)
        if least < 0:
            self._bound(key, k, prefix, opened)
        else:
            heapq.heappop(queue)
            self._extend(k, prefix, opened, least)
        self.work += 1
        if self.memory_limit is not None and self.memory_bytes > self.memory_limit:
            self._out_of_memory = True

    def _bound(self, key: int, k: int, prefix: Prefix, opened: Opened) -> None:
        """Prove a part of the bound of the prefix at the top of the queue."""
        extra = self._space.missing(prefix, opened)
        if extra is None:
            self._drop("demands", k)
            return
        if prefix.length == 0 and self._demands.first is not None:  # what else could follow need not be bounded
            heapq.heapreplace(self._queue, (key, k, k, 0))
            return
        base, L = prefix.relaxed, self._rules.relaxed_rule
        room = min(self._most, key + L // 4) - base
        try:
            chosen = np.frombuffer(prefix.words, dtype=np.uint64)
            found = self._completions.least(chosen, state.UNKNOWN, room, self._free)
        except MemoryError:
            self._out_of_memory = True
            return
        if found is None:
            return
        further, sure = found
        least = min(opened.stop, further)
        right = opened.captured.max(axis=0)
        weak = right[right <= L]
        more = further  # of one rule or more
        if len(weak) and further >= (beside := least + L - int(weak.max())):
            more, sure = beside, sure or least == opened.stop
        bound = base + max(least + extra, more)
        if bound > self._most:
            self._drop("completions", k)
            return
        heapq.heapreplace(self._queue, (max(key, bound), k, k, least if sure else -1))

    def _drop(self, bound: str, k: int) -> None:
        heapq.heappop(self._queue)
        self._alive[k] = False
        self._pruned[bound] += 1

    def _extend(self, k: int, prefix: Prefix, opened: Opened, least: int) -> None:
        """Enter what may follow a prefix whose set costs this much to complete in the relaxation."""
        self._expanded += 1
        space, L = self._space, self._rules.relaxed_rule
        following = space.following(prefix, opened, space.may_follow(prefix, opened))
        self._end(k, following, opened)
        most = self._most
        below = prefix.relaxed + least + np.maximum(0, L - following.right)
        goes_on = (following.cost + self._rules.per_rule < self._best.cost) & (following.relaxed + L <= most)
        self._pruned["always: threshold"] += int((~goes_on).sum())
        self._pruned["weak rule"] += int((goes_on & (below > most)).sum())
        bound = np.maximum(below, following.relaxed)
        left = int(np.bitwise_count(np.frombuffer(prefix.words, dtype=np.uint64)).sum())
        goes_on &= (below <= most) & (opened.size[following.antecedent] < left)
        for i in np.flatnonzero(goes_on).tolist():
            if self._enter(space.child(k, prefix, following, i)):
                place = len(self._prefixes) - 1
                heapq.heappush(self._queue, (int(bound[i]), place, place, -1))

    def _enter(self, prefix: Prefix) -> bool:
        """Keep a prefix, unless one that is kept outdoes it, or nothing after it is fair."""
        self._created += 1
        span = self._spans.get(prefix.words)
        if span is None:
            span = self._spans[prefix.words] = self._space.span(prefix.words)
        if not self._space.reaches(prefix, span):
            self._pruned["reach"] += 1
            return False
        if self._rules.same_set:
            others = self._by_set.setdefault(prefix.words, [])
            if any(self._space.outdoes(self._prefixes[k], prefix, span) for k in others):
                self._pruned["same set"] += 1
                return False
            for k in [k for k in others if self._space.outdoes(prefix, self._prefixes[k], span)]:
                others.remove(k)
                self._alive[k] = False
                self._pruned["same set"] += 1
            others.append(len(self._prefixes))
        self._prefixes.append(prefix)
        self._alive.append(True)
        return True

    def _end(self, k: int, following: Following, opened: Opened) -> None:
        """Take over the best list that ends with one more rule than a prefix."""
        for default in range(2):
            total, fits = self._space.ends(following, opened, default)
            better = np.flatnonzero(fits & (total < self._best.cost))
            for i in better[np.argsort(total[better], kind="stable")].tolist():
                if total[i] >= self._best.cost:
                    break
                rule = 2 * int(following.antecedent[i]) + int(following.label[i])
                self._offer(self._path(k, rule), default, int(total[i]))

    def _path(self, k: int, last: int) -> tuple[tuple[int, int], ...]:
        """The rules of a prefix and one more."""
        codes = [last]
        while self._prefixes[k].parent >= 0:
            codes.append(self._prefixes[k].rule)
            k = self._prefixes[k].parent
        out = [(int(self._space.antecedents[code // 2]), code % 2) for code in codes]
        if self._demands.first is not None:
            out[-1] = self._demands.first, out[-1][1]
        return tuple(reversed(out))

    def _offer(self, rules: tuple[tuple[int, int], ...], default: int, cost: int) -> None:
        """Make a list the incumbent when it is better, obeys, is fair, and labelled as it should be."""
        if cost >= self._best.cost:
            return
        hits = first_captures(self.problem, [a for a, _ in rules])
        kept = [rule for rule, hit in zip(rules, hits, strict=False) if hit.any()]
        obeys = all(int(self._demands.labels[a]) & (POSITIVE if label else NEGATIVE) for a, label in kept)
        if obeys and self._demands.are_met([a for a, _ in kept]):
            super()._offer(tuple(kept), default, cost - self._costs.per_rule * (len(rules) - len(kept)))

    @property
    def _own_bytes(self) -> int:
        """Bytes of the arrays of the search, and about those of its prefixes."""
        if not hasattr(self, "_completions"):
            return super()._own_bytes if hasattr(self, "_multipliers") else 0
        each = _BYTES_OF_A_PREFIX + len(self._space.everything)
        stored = len(self._prefixes) + len(self._spans)
        return self._space.nbytes + self._completions.nbytes + each * stored

    def _counted(self) -> tuple[dict[str, int], dict[str, int]]:
        counts = {
            "created": self._created,
            "expanded": self._expanded,
            "queued": len(self._queue),
            "stored": len(self._prefixes),
            "sets_counted": self._completions.n_sets if hasattr(self, "_completions") else 0,
        }
        return counts, self._cut(self._pruned, "always: threshold", len(self._queue))

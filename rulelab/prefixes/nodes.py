"""The stored prefixes of a search as a table: a tree by parents, shown by its largest parts; its units and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..data.problem import Problem
from ..kernels import bits
from ..kernels.bit_words import bit_planes, transposed
from ..kernels.growing import CUT, EXPANDED, OPEN
from ..kernels.jit import kernel

COLUMNS = ("node", "parent", "antecedent", "label", "length", "cost", "bound", "state", "cut_by", "descendants")


@dataclass(frozen=True)
class Nodes:
    """Stored prefixes of a search; the first one is the empty prefix."""

    parent: np.ndarray  # int64, shape (n,): -1 for the empty prefix
    antecedent: np.ndarray  # int64, shape (n,): that of the last rule, in ``names``; -1 for the empty prefix
    cost: np.ndarray  # float, shape (n,): in units of the objective
    bound: np.ndarray  # float, shape (n,): of the lists that go on from each
    fate: np.ndarray  # uint8, shape (n,): see `rulelab.kernels.growing`
    cuts: tuple[str, ...]  # the bounds in the order of the fates
    names: tuple[str, ...]  # of all antecedents
    classes: tuple[Any, ...]
    incumbent: tuple[int, ...] = ()  # the antecedents of the best list
    scale: Scale | None = None  # where the labels come from
    known: np.ndarray | None = None
    """Int8, shape (n,): the labels, as indices of ``classes``, where there is no ``scale``; -1 for the empty prefix."""

    @classmethod
    def of(cls, store: Any, n: int, scale: Scale, incumbent: tuple[int, ...]) -> Nodes:
        """The first ``n`` entries of a store."""
        own, costs, parent = scale.antecedents, scale.costs, store.parent[:n].astype(np.int64)
        root = np.flatnonzero(parent < 0)
        antecedent = np.full(n, -1, dtype=np.int64)
        if len(root) < n:
            rules = store.rule[:n].copy()
            rules[root] = 0
            antecedent = own[rules].astype(np.int64)
            antecedent[root] = -1
        return cls(
            parent=parent,
            antecedent=antecedent,
            cost=store.cost[:n] * costs.unit,
            bound=scale.bound(store.key[:n]),
            fate=store.fate[:n].copy(),
            cuts=scale.cuts,
            names=scale.problem.names,
            classes=scale.problem.classes,
            incumbent=incumbent,
            scale=scale,
        )

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def length(self) -> np.ndarray:
        """Rules of each prefix."""
        length = np.full(len(self), -1, dtype=np.int64)
        _fill_lengths(self.parent, length)
        return length

    @cached_property
    def levels(self) -> list[np.ndarray]:
        """The nodes by the length of their prefix."""
        order = np.argsort(self.length.astype(np.int16), kind="stable")  # 16 bits are sorted by their digits
        return np.split(order, np.cumsum(np.bincount(self.length))[:-1]) if len(self) else []

    @cached_property
    def descendants(self) -> np.ndarray:
        """How many prefixes start with each one, itself not counted."""
        below, children = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        _fill_descendants(self.parent, children, below)
        return below

    def along(self, antecedents: Sequence[str]) -> list[int]:
        """The nodes of the longest stored prefix of a list, the empty prefix first."""
        found = [0] if len(self) else []
        for name in antecedents if found else ():
            own = self.names.index(name) if name in self.names else -1
            after = np.flatnonzero((self.parent == found[-1]) & (self.antecedent == own))
            if not len(after):
                break
            found.append(int(after[-1]))
        return found

    def path(self) -> list[int]:
        """The nodes of the longest stored prefix of the incumbent, the empty prefix first."""
        return self.along([self.names[a] for a in self.incumbent])

    def rest(self, shown: np.ndarray) -> list[tuple[int, str, str, int]]:
        """What is left out, by its longest beginning that is shown and its fate: that, state, what cut it, how many."""
        there = np.zeros(len(self), dtype=bool)
        there[shown] = True
        above = self.parent.copy()  # int64, shape (n,): the longest beginning that is shown
        for level in self.levels[2:]:
            hidden = level[~there[self.parent[level]]]
            above[hidden] = above[self.parent[hidden]]
        kinds, many = np.unique(above[~there] << 8 | self.fate[~there], return_counts=True)  # a fate is a uint8
        return [(kind >> 8, *self._named(kind & 255), n) for kind, n in zip(kinds.tolist(), many.tolist(), strict=True)]

    def largest(self, most: int) -> np.ndarray:
        """Those on the path to the incumbent and those with the most descendants, parents included, in their order."""
        kept = np.zeros(len(self), dtype=bool)
        kept[self.path()[:most]] = True
        more = np.flatnonzero(~kept)
        wanted = most - (len(self) - len(more))
        if wanted < len(more):
            size = self.descendants[more]
            least = np.partition(size, len(size) - wanted)[len(size) - wanted] if wanted > 0 else size.max() + 1
            alike = more[size == least]  # of these the shorter ones, and then the earlier ones
            more = more[size > least]
            alike = alike[np.argsort(self.length[alike].astype(np.int16), kind="stable")]
            more = np.concatenate([more, alike[: max(0, wanted - len(more))]])
        kept[more] = True
        return np.flatnonzero(kept)

    def some(self, kept: np.ndarray) -> Nodes:
        """Those with these numbers, in ascending order, numbered anew; their parents must be among them."""
        return replace(self._part(kept), scale=None, known=self.labels(kept))

    def at(self, fate: np.ndarray, stored: np.ndarray) -> Nodes:
        """With these fates, and only those stored, numbered anew; costs, bounds and parents are the present ones."""
        there = np.zeros(len(self), dtype=bool)
        there[stored] = True
        return replace(self, fate=fate)._part(self._below_such(there))

    def _below_such(self, there: np.ndarray) -> np.ndarray:
        """Of these nodes those whose ancestors are among them too."""
        for level in self.levels[1:]:
            there[level] &= there[self.parent[level]]
        return np.flatnonzero(there)

    def _part(self, kept: np.ndarray) -> Nodes:
        place = np.full(len(self) + 1, -1, dtype=np.int64)  # the last entry is the parent of the empty prefix
        place[kept] = np.arange(len(kept))
        arrays = {name: getattr(self, name)[kept] for name in ("antecedent", "cost", "bound", "fate")}
        known = None if self.known is None else self.known[kept]
        return replace(self, parent=place[self.parent[kept]], known=known, **arrays)

    def state(self, node: int) -> tuple[str, str]:
        """What has become of a node, and the bound that cut it or an empty text."""
        return self._named(int(self.fate[node]))

    def _named(self, fate: int) -> tuple[str, str]:
        if fate >= CUT:
            return "cut", self.cuts[fate - CUT]
        return {EXPANDED: "expanded", OPEN: "open"}[fate], ""

    def frame(self, max_nodes: int) -> pd.DataFrame:
        """The largest parts, each node after its parent; see `PrefixSearch.tree`."""
        shown = self.largest(max_nodes)
        states = [self.state(node) for node in shown.tolist()]
        labels = [None if label < 0 else self.classes[label] for label in self.labels(shown).tolist()]
        frame = pd.DataFrame(
            {
                "node": shown,
                "parent": self.parent[shown],
                "antecedent": ["" if a < 0 else self.names[a] for a in self.antecedent[shown].tolist()],
                "label": pd.Series(labels, dtype=object),
                "length": self.length[shown],
                "cost": self.cost[shown],
                "bound": self.bound[shown],
                "state": [state for state, _ in states],
                "cut_by": [cut_by for _, cut_by in states],
                "descendants": self.descendants[shown],
            },
            columns=list(COLUMNS),
        ).sort_values("length", kind="stable", ignore_index=True)
        on_path = [node for node in self.path() if node in set(shown.tolist())]
        frame.attrs.update(stored=len(self), left_out=len(self) - len(shown), incumbent=on_path)
        return frame

    def labels(self, shown: np.ndarray) -> np.ndarray:
        """The class (int8, -1: no rule) of most of what the last rule of each captures; parents must be shown."""
        if self.known is not None:
            return self.known[shown]
        assert self.scale is not None
        weights, labels, lengths = self.scale.weights, np.full(len(shown), -1, dtype=np.int8), self.length[shown]
        left, above = np.zeros((0, 0), dtype=np.uint64), shown[:0]
        for length in np.unique(lengths).tolist():
            level = shown[lengths == length]
            if not length:
                left, above = np.repeat(weights.everything[None, :], len(level), axis=0), level
                continue
            whole = left[np.searchsorted(above, self.parent[level])]
            columns = weights.columns[self.antecedent[level]]
            positive, negative = weights.of_sets(whole & columns)
            labels[lengths == length] = positive > negative
            left, above = whole & ~columns, level
        return labels


@kernel
def _fill_lengths(parent: np.ndarray, length: np.ndarray) -> None:
    """The number of rules of each prefix.

    `parent`: int64 (n,), -1 for the empty prefix; a parent may stand behind its children. `length`: int64 (n,), -1 on
    entry. Each entry is set once, on the way up from the first node below it, so that the time is linear in n.
    """
    for node in range(len(parent)):
        at, steps = node, 0
        while at >= 0 and length[at] < 0:
            at = parent[at]
            steps += 1
        steps += length[at] if at >= 0 else -1
        at = node
        while at >= 0 and length[at] < 0:
            length[at] = steps
            steps -= 1
            at = parent[at]


@kernel
def _fill_descendants(parent: np.ndarray, children: np.ndarray, below: np.ndarray) -> None:
    """How many prefixes start with each one.

    `parent`: int64 (n,), as above. `children`, `below`: int64 (n,), 0 on entry. A node hands its number up when it has
    heard from all its children, who are counted first; whoever hears last goes on, so that the time is linear in n.
    """
    for node in range(len(parent)):
        if parent[node] >= 0:
            children[parent[node]] += 1
    for node in range(len(parent)):
        at = node
        while children[at] == 0:
            children[at] = -1  # has handed up
            above = parent[at]
            if above < 0:
                break
            below[above] += below[at] + 1
            children[above] -= 1
            at = above


@dataclass(frozen=True)
class Weights:
    """The patterns of a problem with their weights, for sets that are packed like its antecedents' columns."""

    columns: np.ndarray
    """uint64, shape (n_antecedents, bits.n_words(n_patterns)): the patterns that satisfy each antecedent."""
    everything: np.ndarray  # uint64, shape (bits.n_words(n_patterns),)
    planes: tuple[np.ndarray, np.ndarray]
    """Pair of uint64, shape (n_digits, bits.n_words(n_patterns)): of the positive and of the negative weights."""

    @classmethod
    def of(cls, problem: Problem, positives: np.ndarray, negatives: np.ndarray) -> Weights:
        """With these int64 weights of the patterns of a problem."""
        return cls(
            columns=transposed(problem.words, problem.n_antecedents),
            everything=bits.pack(np.ones((1, problem.n_patterns), dtype=bool))[0],
            planes=(bit_planes(positives), bit_planes(negatives)),
        )

    def of_set(self, chosen: np.ndarray) -> tuple[int, int]:
        """Positive and negative weight of a set."""
        positive, negative = self.of_sets(chosen[None, :])
        return int(positive[0]), int(negative[0])

    def of_sets(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positive and negative weights of sets, the rows of an array: int64 arrays, shape (len(chosen),)."""
        positive, negative = (self._sum(chosen, planes) for planes in self.planes)
        return positive, negative

    def of_columns(self, within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positive and negative weight that each antecedent captures of a set: int64 arrays, shape (n_antecedents,)."""
        positive, negative = (self._sum(self.columns, planes & within) for planes in self.planes)
        return positive, negative

    @staticmethod
    def _sum(sets: np.ndarray, planes: np.ndarray) -> np.ndarray:
        total = np.zeros(len(sets), dtype=np.int64)
        for digit, plane in enumerate(planes):
            used = np.flatnonzero(plane)
            if len(used):
                counts = np.bitwise_count(sets[:, used] & plane[used]).sum(axis=1, dtype=np.int64)
                total += counts << digit
        return total


@dataclass(frozen=True)
class Scale:
    """Antecedents, bounds and costs of a search, in its own integers, and what its prefixes weigh by plain numpy."""

    problem: Problem
    antecedents: np.ndarray  # int, shape (m,): those that the search tries, as indices of the problem's
    cuts: tuple[str, ...]  # the names of ``Snapshot.pruned``, in the order of the fates
    bounding: frozenset[str]  # those that say that no extension costs less than the incumbent
    costs: Any  # the grid: ``positives``, ``negatives``, ``per_rule``, ``unit`` and ``slack``
    per_positive: int
    per_negative: int

    @cached_property
    def weights(self) -> Weights:
        """The patterns with their weights on the grid."""
        return Weights.of(self.problem, self.costs.positives, self.costs.negatives)

    @cached_property
    def inevitable(self) -> Weights:
        """The patterns with what any list loses on each: rows that satisfy the same antecedents and differ in class."""
        costs = self.costs
        points = np.minimum(self.per_positive * costs.positives, self.per_negative * costs.negatives)
        return Weights.of(self.problem, points, np.zeros_like(points))

    def loss(self, positive: Any, negative: Any) -> Any:
        """What rules lose, in the objective's units."""
        return np.minimum(self.per_positive * positive, self.per_negative * negative) * self.costs.unit

    def price(self, rules: int) -> float:
        """What so many rules cost."""
        return float(rules * self.costs.per_rule * self.costs.unit)

    def bound(self, cost: Any) -> Any:
        """Lower bounds on the grid in the objective's units."""
        return np.maximum(0.0, np.asarray(cost) * self.costs.unit - self.costs.slack)

    @property
    def row(self) -> float:
        """What 1 of the grid's weights is in the weights of the rows."""
        return float(self.problem.total_weight) / int(self.costs.positives.sum() + self.costs.negatives.sum())

    def index(self, antecedent: Any) -> int:
        """The place of an antecedent, given by its name or as an index of the problem's, among those that are tried."""
        names = self.problem.names
        if isinstance(antecedent, str):
            if antecedent not in names:
                raise ValueError(f"prefix: the problem has no antecedent {antecedent!r}")
            antecedent = names.index(antecedent)
        elif not (isinstance(antecedent, (int, np.integer)) and 0 <= antecedent < len(names)):
            raise ValueError(f"prefix: antecedents are names, or indices below {len(names)}, not {antecedent!r}")
        found = np.flatnonzero(self.antecedents == antecedent)
        if not len(found):
            raise ValueError(
                f"prefix: the search does not try {names[antecedent]!r}: it is equal to another antecedent, holds for "
                "all rows, or cannot pay for a rule"
            )
        return int(found[0])

"""Every rule that a better rule set could use: a plain search, of limited effort, on tables of pairs of conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..certificate import CertificateError
from ..parts import CELLS, PRODUCTS, column_sums, look, parts, select

_AT_ONCE = 1 << 13  # rows of a product of matrices
SORTED_AT_ONCE = 1 << 20  # cells that are sorted at once
_TABLES, _COPIES = 50, 10  # cells of work for one cell of a table of pairs, and of a copy


class GaveUpError(CertificateError):
    """The check would take too long: the certificate may be right or wrong."""

    def __str__(self) -> str:
        return f"the check was given up, nothing is known to be wrong: {super().__str__()}"


class Effort:
    """Counts the cells of tables that are looked at; beyond the limit it ends the step, which the message names."""

    def __init__(self, limit: int, what: str) -> None:
        self.limit, self.what, self.cells = limit, what, 0

    def spend(self, cells: int) -> None:
        """Add work to the count; GaveUpError beyond the limit."""
        self.cells += cells
        if self.cells > self.limit:
            raise GaveUpError(f"{self.what} was given up after {self.limit:,} cells of work")


class _Rows(NamedTuple):
    """Some rows: ``cells``, uint8 of shape (n_rows, n_conditions), and ``weight``, float64, at least 0."""

    cells: np.ndarray
    weight: np.ndarray


class _Node(NamedTuple):
    """A rule, the conditions that it may be extended by, and the rows that satisfy it.

    ``helping`` and ``hurting``, float64 of shape (n_conditions, n_conditions), are the weights of those rows that
    satisfy two conditions, on the diagonal one; ``allowed`` says which two a longer rule may have.
    """

    rule: tuple[int, ...]
    conditions: np.ndarray
    helps: _Rows
    hurts: _Rows
    helping: np.ndarray
    hurting: np.ndarray
    allowed: np.ndarray


class HeavyRules:
    """Conjunctions whose rows have a sum of weights of at least ``needed[s]``, s being their number of conditions.

    Iterate to get tuples of columns of the matrix. Of the rules that cover the same rows one of the shortest is among
    them, the others need not be. ``matrix`` (bool array, shape (n_rows, n_conditions)). ``weight`` (int64 array, shape
    (n_rows,)): of either sign; sums and those of ``needed``, which does not decrease, below 2^50, so that they are
    exact in floating point. ``n_given``: rules that cover none of so many rows, all by default, need not be found.
    ``counted``: conjunctions whose sums were looked at.

    All sums of the rules that have two conditions more than a rule are two products of matrices, one over the rows of
    positive weight and one over those of negative weight. From the sums of triples i, j, k follow bounds on those of
    quadruples: the helping weight is at most that of each triple, the hurting weight at least hurting(i, j) +
    hurting(i, k) - hurting(i); a condition more takes away at most what it takes away alone.
    """

    def __init__(
        self, matrix: np.ndarray, weight: np.ndarray, needed: list[int], effort: Effort, n_given: int | None = None
    ) -> None:
        self.needed = np.array(needed, dtype=np.float64)
        self.most = len(needed) - 1
        self.effort = effort
        self.counted = 0
        values = weight.astype(np.float64)
        order = np.argsort(column_sums(matrix, np.maximum(weight, 0)), kind="stable")
        self.conditions = order[np.asarray(matrix.any(axis=0))[order]]
        cells = select(matrix, np.arange(len(matrix)), self.conditions).view(np.uint8)
        self.helps, self.hurts = (_Rows(select(cells, np.flatnonzero(v > 0)), v[v > 0]) for v in (values, -values))
        self.rest = select(matrix, np.flatnonzero(weight == 0))
        self.heaviest = float(self.hurts.weight.sum())
        self.together = self._pairs(_Rows(cells, np.ones(len(cells))))
        self.meet = self.together > 0
        if n_given is not None and n_given < len(cells):
            self.meet = self._pairs(_Rows(cells[:n_given], np.ones(n_given))) > 0

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        helping, hurting = self._pairs(self.helps), self._pairs(self.hurts)
        self.counted += len(self.conditions) * (len(self.conditions) + 1) // 2
        for k in np.flatnonzero(np.diag(helping - hurting) >= self.needed[1]):
            yield (int(self.conditions[k]),)
        alone = np.diag(self.together)
        apart = self.meet & (self.together < alone) & (self.together < alone[:, None])
        root = _Node((), self.conditions, self.helps, self.hurts, helping, hurting, apart)
        stack = [self._children(root)] if self.most > 1 else []
        yield from self._of_two(root)
        while stack:
            look()
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
            else:
                yield from self._of_two(node)
                stack.append(self._children(node))

    def _of_two(self, node: _Node) -> Iterator[tuple[int, ...]]:
        """Rules with two conditions more than the node's."""
        size = len(node.rule) + 2
        if size <= self.most:
            heavy = node.allowed & (node.helping - node.hurting >= self.needed[size])
            for i, j in np.argwhere(np.triu(heavy, 1)):
                yield (*node.rule, int(node.conditions[i]), int(node.conditions[j]))

    def _children(self, node: _Node) -> Iterator[_Node]:
        if len(node.rule) + 3 > self.most:
            return
        may = self._extensible(node)
        for i in range(len(node.conditions) - 2):
            later = i + 1 + np.flatnonzero(may[i, i + 1 :])
            child = self._child(node, i, later[np.argsort(node.helping[i, later], kind="stable")], may)
            if child is not None:
                yield child

    def _extensible(self, node: _Node) -> np.ndarray:
        """Which pairs of conditions may be part of a rule with three conditions more, or longer."""
        size, allowed = len(node.rule) + 2, node.allowed
        removed = np.where(allowed, np.diag(node.hurting)[:, None] - node.hurting, 0)
        heavy = self._reach(size, size + 1, node.helping, node.helping - node.hurting, removed)
        return allowed & heavy & heavy.T

    def _child(self, node: _Node, i: int, chosen: np.ndarray, may: np.ndarray) -> _Node | None:
        """The node with one condition more, extended by some of the chosen ones; None when no rule can be wanted."""
        size, hurting = len(node.rule) + 3, node.hurting[i, i]
        chosen = self._without_idle(node, i, chosen)
        self.counted += len(chosen) ** 2 // 2
        self.effort.spend(_TABLES * len(chosen) ** 2)
        if len(chosen) < 2:
            return None
        square = np.ix_(chosen, chosen)
        helping, left = node.helping[i, chosen], node.hurting[i, chosen]
        most = np.minimum(np.minimum(helping, helping[:, None]), node.helping[square])
        overlap = node.hurting[square] + left - np.diag(node.hurting)[chosen]
        least = np.maximum(np.maximum(overlap, overlap.T), np.maximum(left + left[:, None] - hurting, 0))
        removed = (hurting - left)[None]
        allowed = may[square] & self._reach(size, size, most, most - least, removed)
        kept = np.flatnonzero(allowed.any(axis=1))
        if len(kept) < 2:
            return None
        chosen, allowed, least = chosen[kept], allowed[np.ix_(kept, kept)], least[np.ix_(kept, kept)]
        helps = self._inside(node.helps, i, chosen)
        most = self._pairs(helps)
        allowed &= self._reach(size, size, most, most - least, removed)
        kept = np.flatnonzero(allowed.any(axis=1))
        if len(kept) < 2:
            return None
        helps, most = _Rows(np.take(helps.cells, kept, axis=1), helps.weight), most[np.ix_(kept, kept)]
        chosen, allowed = chosen[kept], allowed[np.ix_(kept, kept)]
        hurts = self._inside(node.hurts, i, chosen)
        least = self._pairs(hurts)
        allowed &= self._reach(size, size, most, most - least, removed)
        if not allowed.any():
            return None
        rule = (*node.rule, int(node.conditions[i]))
        return _Node(rule, node.conditions[chosen], helps, hurts, most, least, allowed)

    def _without_idle(self, node: _Node, i: int, chosen: np.ndarray) -> np.ndarray:
        """Leave out conditions that all rows of the child satisfy: they only make a rule longer."""
        idle = node.helping[i, chosen] == node.helping[i, i]
        idle &= node.hurting[i, chosen] == node.hurting[i, i]
        if idle.any():
            inside = self.rest[:, [*node.rule, node.conditions[i]]].all(axis=1)
            idle[idle] = self.rest[np.ix_(inside, node.conditions[chosen[idle]])].all(axis=0)
        return chosen[~idle]

    def _reach(self, size: int, wanted: int, helping: np.ndarray, total: np.ndarray, removed: np.ndarray) -> np.ndarray:
        """Which rules may be extended to one of enough weight: bool, of the shape of ``total``.

        ``size``: of the rules; ``wanted``: least size of an extension. ``helping``, ``total``: at least the weight of
        the helping rows, and of all. ``removed``: hurting weight that each further condition takes away at most.
        """
        needed = self.needed[wanted:]
        if len(needed) == 1 and size == wanted:
            return np.asarray(total >= needed[0])
        out = np.empty(total.shape, dtype=bool)
        for part in parts(len(total), total.shape[1], SORTED_AT_ONCE):
            own = removed if len(removed) == 1 else removed[part]
            out[part] = self._reach_of_few(size, wanted, helping[part], total[part], own)
        return out

    def _reach_of_few(
        self, size: int, wanted: int, helping: np.ndarray, total: np.ndarray, removed: np.ndarray
    ) -> np.ndarray:
        needed = self.needed[wanted:]
        most_removed = -np.sort(-removed, axis=1)[:, : self.most - size]
        spared = np.pad(np.cumsum(most_removed, axis=1), ((0, 0), (1, 0)))
        more = np.minimum(np.arange(wanted - size, self.most - size + 1), spared.shape[1] - 1)
        limits = np.minimum.accumulate(needed - np.minimum(spared[:, more], self.heaviest), axis=1)
        longest = np.searchsorted(needed, helping, side="right") - 1
        limit = np.take_along_axis(np.broadcast_to(limits, (len(total), len(needed))), longest, axis=1)
        return (longest >= 0) & (total >= limit)

    def _inside(self, rows: _Rows, i: int, chosen: np.ndarray) -> _Rows:
        """The rows that satisfy a condition, and their cells of the chosen ones."""
        inside = np.flatnonzero(rows.cells[:, i])
        self.effort.spend(_COPIES * len(inside) * len(chosen))
        return _Rows(np.take(rows.cells[inside], chosen, axis=1), rows.weight[inside])

    def _pairs(self, rows: _Rows) -> np.ndarray:
        """Weight of the rows that satisfy each pair of conditions."""
        n, m = rows.cells.shape
        self.effort.spend(n * m * m)
        out = np.zeros((m, m))
        for rows_at_once in parts(n, m, min(_AT_ONCE * max(1, m), CELLS)):
            cells = rows.cells[rows_at_once].astype(np.float64)
            own = (cells * rows.weight[rows_at_once, None]).T
            for some in parts(m, cells.size, PRODUCTS):
                out[some] += own[some] @ cells
        return out


MOST_COLUMNS = 20_000
MOST_CELLS = 1_000_000_000_000  # most cells of rows and pairs of conditions that are looked at, some minutes of work
EXACT = 2**49  # sums of weights stay below it, so that floating-point sums and differences of a few of them are exact
_UNPACKED = 64  # rules whose bits are unpacked in memory


@dataclass(frozen=True, eq=False)
class Columns:
    """Rules of different covered sets, for each set one of the fewest conditions."""

    packed: np.ndarray  # uint8, shape (n_columns, n_bytes): the patterns that each rule covers, as packed bits
    n_patterns: int
    # complexity, reduced (int64, shape (n_columns,)): one plus the number of conditions; the reduced cost
    complexity: np.ndarray
    reduced: np.ndarray
    counted: int  # conjunctions whose sums were looked at

    def covers(self, rules: Sequence[int] | slice = slice(None), patterns: np.ndarray | None = None) -> np.ndarray:
        """Which patterns rules cover: uint8 array, shape (n_rules, n_patterns), or of the given patterns only."""
        packed = self.packed[rules if isinstance(rules, slice) else list(rules)]
        chosen = np.arange(self.n_patterns) if patterns is None else patterns
        out = np.empty((len(packed), len(chosen)), dtype=np.uint8)
        for start in range(0, len(packed), _UNPACKED):
            part = slice(start, start + _UNPACKED)
            out[part] = np.unpackbits(packed[part], axis=1, count=self.n_patterns)[:, chosen]
        return out

    def sums(self, weight: np.ndarray) -> np.ndarray:
        """Weight of the patterns that each rule covers: int64 array, shape (n_columns,)."""
        some = np.flatnonzero(weight)
        values, out = weight[some].astype(np.float64), np.zeros(len(self.packed), dtype=np.int64)
        for start in range(0, len(out) if len(some) else 0, _UNPACKED):
            part = slice(start, start + _UNPACKED)
            out[part] = self.covers(part, some).astype(np.float64) @ values
        return out


def columns(
    matrix: np.ndarray, weight: np.ndarray, price: int, slack: int, max_conditions: int, n_given: int | None = None
) -> Columns:
    """All rules of at most D conditions whose reduced cost price * (1 + conditions) - weight is at most the slack.

    Only the first ``n_given`` patterns count when it is asked whether a rule covers any. Raises CertificateError when
    the sums are too large to be exact, GaveUpError after `MOST_CELLS` of work, or `MOST_COLUMNS` rules.
    """
    if sum(map(abs, weight.tolist())) >= EXACT or (max_conditions + 1) * price + abs(slack) >= EXACT:
        raise CertificateError("the dual values are too large to be summed exactly; use a coarser grid")
    longest = min(max_conditions, matrix.shape[1])
    needed = [price * (1 + s) - slack for s in range(longest + 1)]
    rules = HeavyRules(matrix, weight, needed, Effort(MOST_CELLS, "the enumeration of rules"), n_given)
    found: dict[bytes, tuple[int, ...]] = {}
    for rule in rules:
        covered = np.all(matrix[:, list(rule)], axis=1)
        if not covered[:n_given].any():
            continue
        bits = np.packbits(covered).tobytes()
        if bits not in found or len(rule) < len(found[bits]):
            found[bits] = rule
        if len(found) > MOST_COLUMNS:
            raise GaveUpError(f"more than {MOST_COLUMNS} rules could be part of a better rule set")
    packed = np.frombuffer(b"".join(found), dtype=np.uint8).reshape(len(found), -(-len(matrix) // 8))
    complexity = np.array([1 + len(rule) for rule in found.values()], dtype=np.int64)
    out = Columns(packed, len(matrix), complexity, price * complexity, rules.counted)
    return replace(out, reduced=out.reduced - out.sums(weight))

"""The columns met so far: rules, their complexity, what they cover."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..kernels import bits
from .features import packed_sums, signatures
from .program import Program, by_place

if TYPE_CHECKING:
    from .features import Features

Clause = tuple[int, ...]

_DIGITS = 32  # of a mass, added at a time: more than 2^30 patterns do not fit into memory
_LARGE = 1 << 24  # bytes, from which on a pool grows by less than twice
_AT_ONCE = 1 << 18  # cells of a table of rules and patterns


@dataclass(frozen=True, eq=False)
class Columns:
    """Some rules, as a linear or integer program sees them."""

    kind: np.ndarray  # int64, shape (n_entities,): of the watched entities, or of classes of them
    # mass, whole (array, shape (n_entities,)): as in `Program`: for linear programs, and exactly
    mass: np.ndarray
    whole: np.ndarray
    hits: np.ndarray  # bool, shape (n_columns, n_entities)
    # kind_mass, kind_whole (array, shape (n_columns, n_kinds)): covered mass of each kind, also of the kinds that are
    # not watched: for linear programs, and exactly
    kind_mass: np.ndarray
    kind_whole: np.ndarray
    complexity: np.ndarray  # int64, shape (n_columns,)
    rules: np.ndarray  # int64, shape (n_columns,): their indices in the pool

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def nbytes(self) -> int:
        return self.hits.nbytes + self.kind_mass.nbytes + self.kind_whole.nbytes

    def some(self, chosen: np.ndarray) -> Columns:
        """A selection of the columns."""
        own = ("hits", "kind_mass", "kind_whole", "complexity", "rules")
        return replace(self, **{name: getattr(self, name)[chosen] for name in own})

    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """Entities of one kind that no column tells apart: the group of each, and the first member of each group."""
        return bits.group_equal_rows(np.column_stack([self.kind.astype(np.uint64), bits.pack(self.hits.T)]))

    def merged(self) -> Columns:
        """Entities of one kind that no column tells apart as one."""
        group, first = self.groups()
        mass, whole = (by_place(values, group, len(first)) for values in (self.mass, self.whole))
        return replace(self, kind=self.kind[first], mass=mass, whole=whole, hits=np.take(self.hits, first, axis=1))


def classes(
    kinds: np.ndarray, hits: np.ndarray, rules: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Class of each entity (-1 where not chosen) and a member of each class.

    Entities are told apart by the sum of 64-bit hashes of their kind and of the columns that cover them: good enough
    for the dual values of a linear program, which any mistake here would only make worse.
    """
    signature = _mixed(kinds.astype(np.uint64))
    signatures(hits, _mixed((rules + 1024).astype(np.uint64)), signature)
    group = np.full(len(kinds), -1, dtype=np.int64)
    _, first, inverse = np.unique(signature[chosen], return_index=True, return_inverse=True)
    group[chosen] = inverse
    return group, np.flatnonzero(chosen)[first]


def _mixed(x: np.ndarray) -> np.ndarray:
    """The finalizer of splitmix64."""
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


class Pool:
    """Rules with distinct covered sets, each with its least complexity met.

    ``complexity`` (int64 array, shape (n_rules,)): 1 + number of conditions. ``covers`` (uint64 array, shape (n_rules,
    n_words)): packed over the patterns. ``kind_mass``, ``kind_whole`` (arrays, shape (n_rules, n_kinds)): covered mass
    of each kind: for linear programs, and exactly.
    """

    def __init__(self, program: Program, features: Features) -> None:
        self.program = program
        self.features = features
        self.rules: list[Clause] = []
        self._index: dict[bytes, int] = {}
        self._patterns = program.pattern[program.watched]
        self._weights = table_of(program, program.mass)
        self._whole = self._weights if program.exact else table_of(program, program.whole)
        self._room = 0
        self._covers = np.zeros((0, bits.n_words(program.n_patterns)), dtype=np.uint64)
        self._watched = np.zeros((0, len(self._patterns)), dtype=bool)
        self._complexity = np.zeros(0, dtype=np.int64)
        self._kind_mass = np.zeros((0, program.n_kinds), dtype=self._weights.dtype)
        self._kind_whole = np.zeros((0, program.n_kinds), dtype=self._whole.dtype)

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def complexity(self) -> np.ndarray:
        return self._complexity[: len(self)]

    @property
    def covers(self) -> np.ndarray:
        return self._covers[: len(self)]

    @property
    def kind_mass(self) -> np.ndarray:
        return self._kind_mass[: len(self)]

    @property
    def kind_whole(self) -> np.ndarray:
        return self._kind_whole[: len(self)]

    @property
    def nbytes(self) -> int:
        arrays = (self._covers, self._watched, self._kind_mass, self._weights, self._kind_whole, self._whole)
        return sum(array.nbytes for array in arrays)

    def columns(self, chosen: np.ndarray) -> Columns:
        """The rules with these indices."""
        watched = self.program.watched
        return Columns(
            self.program.kind[watched],
            self.program.mass[watched],
            self.program.whole[watched],
            self._watched[chosen],
            self._kind_mass[chosen],
            self._kind_whole[chosen],
            self._complexity[chosen],
            np.asarray(chosen, dtype=np.int64),
        )

    def add(self, rules: Iterable[Clause]) -> list[int]:
        """Take in rules that cover a row; the indices of those whose covers are new or now have a simpler rule."""
        rules = [tuple(rule) for rule in rules]
        if not rules:
            return []
        covers = self.features.covers(rules)
        kept = self.features.with_rows(covers)
        if not kept.all():
            rules, covers = [rule for rule, taken in zip(rules, kept, strict=True) if taken], covers[kept]
        changed, new = [], []
        for i, (rule, words) in enumerate(zip(rules, covers, strict=True)):
            key = words.tobytes()
            k = self._index.get(key)
            if k is None:
                k = len(self.rules)
                self._index[key] = k
                self.rules.append(rule)
                changed.append(k)
                new.append(i)
            elif len(rule) < len(self.rules[k]):
                self.rules[k] = rule
                if k < len(self.rules) - len(new):
                    self._complexity[k] = 1 + len(rule)
                changed.append(k)
        if new:
            self._append(covers[new])
        return changed

    def find(self, rule: Clause) -> int:
        """Index of the rule that covers what this one covers; it is added where there is none."""
        return self._index[self._entered(rule)]

    def find_all(self, rules: Iterable[Clause]) -> list[int]:
        """The different indices of some rules, without those that are not taken in."""
        known = (self._index.get(self._entered(rule)) for rule in rules)
        return list(dict.fromkeys(k for k in known if k is not None))

    def _entered(self, rule: Clause) -> bytes:
        """The key of a rule, which is added where it can be."""
        self.add([rule])
        key: bytes = self.features.covers([rule])[0].tobytes()
        return key

    def _append(self, covers: np.ndarray) -> None:
        """What the last rules cover."""
        end, first = len(self.rules), len(self.rules) - len(covers)
        if end > self._room:
            more = self._room if self.nbytes < _LARGE else self._room // 4
            self._room = max(64, self._room + more, end)
            for name in ("_covers", "_watched", "_complexity", "_kind_mass", "_kind_whole"):
                old = getattr(self, name)
                new = np.zeros((self._room, *old.shape[1:]), dtype=old.dtype)
                new[:first] = old[:first]
                setattr(self, name, new)
        self._covers[first:end] = covers
        self._complexity[first:end] = [1 + len(rule) for rule in self.rules[first:]]
        rows, exact = max(1, _AT_ONCE // self.program.n_patterns), self.program.exact
        for start in range(first, end, rows):
            stop = min(start + rows, end)
            hit = bits.unpack(self._covers[start:stop], self.program.n_patterns)
            self._watched[start:stop] = hit[:, self._patterns]
            self._kind_mass[start:stop] = hit @ self._weights
            self._kind_whole[start:stop] = self._kind_mass[start:stop] if exact else covered(hit, self._whole)

    def sums(self, chosen: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Total weight of the patterns that some rules cover: int64 array, shape (len(chosen),)."""
        out = np.empty(len(chosen), dtype=np.int64)
        packed_sums(self._covers, np.asarray(chosen, dtype=np.int64), weight, out)
        return out

    def measure(self, chosen: Sequence[int]) -> tuple[np.ndarray, np.ndarray, int]:
        """Exact uncovered mass and summed covered mass per kind, and the complexity, of a set of rules."""
        union = np.zeros(self._covers.shape[1], dtype=np.uint64)
        covers, complexity = np.zeros(self.program.n_kinds, dtype=self._whole.dtype), 0
        for k in chosen:
            union |= self._covers[k]
            covers = covers + self._kind_whole[k]
            complexity += int(self._complexity[k])
        hit = bits.unpack(union[None], self.program.n_patterns)[0]
        return self.program.kind_mass - self._whole[hit].sum(axis=0), covers, complexity


def table_of(program: Program, masses: np.ndarray) -> np.ndarray:
    """Masses of the entities by pattern and kind."""
    out = np.zeros((program.n_patterns, program.n_kinds), dtype=masses.dtype)
    np.add.at(out, (program.pattern, program.kind), masses)
    return out


def covered(hit: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``hit @ whole`` for Python integers, which are added in parts that fit into 64 bits."""
    digits = max((int(x).bit_length() for x in whole.ravel().tolist()), default=0)
    out = np.zeros((len(hit), whole.shape[1]), dtype=object)
    for first in range(0, digits, _DIGITS):
        part = ((whole >> first) & ((1 << _DIGITS) - 1)).astype(np.int64)
        out += (hit @ part).astype(object) << first
    return out

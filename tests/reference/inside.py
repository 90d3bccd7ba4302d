"""What searches hand their kernels and learn while they run, for tests of those parts: the one file with its names."""

from collections.abc import Callable
from typing import Any

import rulelab as rl
from rulelab.falling_rule_list.exact import reducing
from rulelab.falling_rule_list.exact import search as falling
from rulelab.rule_list.exact.search import RuleListSearch


class Inside:
    """The parts of a search that has begun; those of rule lists, or of rule sets."""

    def __init__(self, search: Any) -> None:
        self._of = search

    layout = property(lambda self: self._of._layout)
    rules = property(lambda self: self._of._rules)
    data = property(lambda self: self._of._data)
    costs = property(lambda self: self._of._costs)
    reduction = property(lambda self: self._of._reduction)
    store = property(lambda self: self._of._store)
    learning = property(lambda self: self._of._learning)
    running = property(lambda self: self._of._running)
    program = property(lambda self: self._of._program)
    pool = property(lambda self: self._of._pool)

    @property
    def generation(self) -> Any:
        """The column generation of a search for rule sets; None where there is none by now."""
        return getattr(self._of, "_generation", None)


def scale_of(search: rl.Search) -> Any:
    """The units of a search over prefixes, and which bounds it knows."""
    return search._scale()


def learn_soon(search=RuleListSearch, after=0, where=0, separate_after=None, put=setattr) -> None:
    """Let exact searches for rule lists, or one of them, learn cores and multipliers that only long ones are worth."""
    for name, value in (("_LEARN_AFTER", after), ("_LEARN_WHERE", where), ("_SEPARATE_AFTER", separate_after)):
        if value is not None:
            put(search, name, value)


def drop_soon(patience: int, put: Callable[[Any, str, Any], object]) -> None:
    """Let exact searches for falling lists look for antecedents to drop where the queue is short."""
    put(falling, "PATIENCE", patience)
    put(reducing, "LEAST_QUEUE", 0)

"""The step-wise search for falling rule lists: what its methods share, and which class a method stands for."""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Iterable
from typing import Any, ClassVar, Self

from ..arguments import ParameterError, Text, is_number, is_whole
from ..data.fairness import Criterion
from ..data.problem import Problem
from ..models import FallingRuleList
from ..search import Search
from ..snapshot import Incumbent
from .costs import Prepared, costs_of, prepare


class FallingRuleListSearch(Search, ABC):
    """Step-wise search for the falling rule list of least weighted loss.

    The call makes a search of the class that the method stands for, which may have more parameters.

    Parameters
    ----------
    problem : Problem
    regularization : float
        Cost C of one rule, 0 <= C < 1.
    positive_weight : float
        Cost w of a missed positive, where a false alarm costs 1; above 0.
    violation_penalty : float, optional
        Cost C1 of a proportion that rises by 1, at least 0: the list is softly falling. By default it must fall.
    method : str
        "exact", which certifies its list, or "monte_carlo", the paper's Algorithms FRL and softFRL.
    fairness : Criterion, optional
        Such as `rulelab.EqualOpportunity`, over the problem's groups: the list is the best of those that meet it. By
        the exact method alone, and not for softly falling lists: they may have rules that predict 0 before some that
        predict 1, so that the captured rows no longer say who is predicted positive, on which all bounds here rest.
    min_group_size : int
        Groups with fewer training rows, of the class that a rate is measured on, are left out of the criterion. 0 for
        all groups.
    **options
        Of the class that is made, such as ``bounds`` of the exact method.

    Raises
    ------
    ValueError
        When an argument is out of range; the message says what is allowed.

    References
    ----------
    Chen and Rudin, "An optimization approach to learning falling rule lists", AISTATS 2018.
    """

    family: ClassVar[str] = "falling_rule_list"
    method: ClassVar[str]
    fair: ClassVar[bool]
    _classes: ClassVar[dict[tuple[str, bool, bool], type[FallingRuleListSearch]]] = {}

    def __init_subclass__(cls, method: str, soft: bool | Iterable[bool], fair: bool = False, **other: Any) -> None:
        """Let the class be made for a method, for lists that must fall, for softly falling ones, or for both."""
        super().__init_subclass__(**other)
        cls.method, cls.fair = method, fair
        for kind in (soft,) if isinstance(soft, bool) else soft:
            FallingRuleListSearch._classes[method, kind, fair] = cls

    def __new__(
        cls,
        problem: Any = None,
        regularization: Any = 0.01,
        positive_weight: Any = 1.0,
        violation_penalty: Any = None,
        method: Any = "exact",
        **options: Any,
    ) -> Self:
        if cls is not FallingRuleListSearch:
            return super().__new__(cls)
        methods = sorted({known for known, *_ in cls._classes})
        if not isinstance(method, str) or method not in methods:
            raise ParameterError("method", method, f"one of {', '.join(methods)}")
        soft, fair = violation_penalty is not None, options.get("fairness") is not None
        if fair and (soft or method != "exact"):
            name, only, given = ("violation_penalty", None, violation_penalty) if soft else ("method", "exact", method)
            raise ParameterError(name, given, f"{only!r} where a falling list has to be fair")
        kind = cls._classes[method, soft, fair]
        known = list(
            dict.fromkeys(
                name
                for each in kind.__mro__
                if issubclass(each, FallingRuleListSearch) and each is not FallingRuleListSearch
                for name, parameter in inspect.signature(each.__init__).parameters.items()
                if name not in ("self", "problem")
                and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            )
        )
        unknown = [name for name in options if name not in known]
        if unknown:
            lists = f"{'softly ' if soft else 'fair ' if fair else ''}falling lists"
            raise TypeError(
                f"FallingRuleListSearch has no option {unknown[0]!r} for {lists} and method={method!r}; known are "
                f"{', '.join(known)}"
            )
        return super().__new__(kind)  # type: ignore[return-value]

    def __init__(
        self,
        problem: Problem,
        regularization: float = 0.01,
        positive_weight: float = 1.0,
        violation_penalty: float | None = None,
        method: str | None = None,
        fairness: Criterion | None = None,
        min_group_size: int = 0,
    ) -> None:
        super().__init__(problem)
        if method not in (None, self.method):
            raise ParameterError("method", method, f"{self.method!r} for a {type(self).__name__}")
        if not isinstance(problem, Problem):
            raise ParameterError("problem", problem, "a rulelab.Problem")
        if not (is_number(regularization) and 0 <= regularization < 1):
            raise ParameterError("regularization", regularization, "a number from 0 to below 1")
        if not (is_number(positive_weight) and positive_weight > 0):
            raise ParameterError("positive_weight", positive_weight, "a number above 0")
        if violation_penalty is not None and not (is_number(violation_penalty) and violation_penalty >= 0):
            raise ParameterError("violation_penalty", violation_penalty, "a number of at least 0 or None")
        if fairness is not None and not self.fair:
            text = Text("{fairness} must be None for a {}; give it to FallingRuleListSearch", type(self).__name__)
            raise ParameterError("fairness", fairness, "None", text)
        if not is_whole(min_group_size, 0):
            raise ParameterError("min_group_size", min_group_size, "an integer >= 0")
        soft = violation_penalty is not None
        if self._classes.get((self.method, soft, self.fair)) is not type(self):
            needs = "None" if soft else "a number"
            text = Text("{violation_penalty} must be {} for a {}", needs, type(self).__name__)
            raise ParameterError("violation_penalty", violation_penalty, needs, text)
        self.regularization = float(regularization)
        self.positive_weight = float(positive_weight)
        self.violation_penalty = None if violation_penalty is None else float(violation_penalty)
        costs_of(problem, self.regularization, self.positive_weight)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "regularization": self.regularization,
            "positive_weight": self.positive_weight,
            "violation_penalty": self.violation_penalty,
            "method": self.method,
        }

    def _prepared(self) -> Prepared:
        return prepare(self.problem, self.regularization, self.positive_weight)

    def _incumbent_of(self, antecedents: Iterable[int], found_at: tuple[float, int]) -> Incumbent:
        """The list of these antecedents of the problem."""
        model = FallingRuleList.from_problem(
            self.problem, tuple(antecedents), self.positive_weight, self.violation_penalty
        )
        return Incumbent(
            model=model,
            objective=model.objective(self.regularization),
            errors=model.errors,
            complexity=model.complexity,
            found_at=found_at,
        )

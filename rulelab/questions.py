"""What is asked of a problem, and the engines that answer: one list, which every door goes through."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from typing import Any

from .arguments import ParameterError, arguments_of, check_choice, require
from .data.multiclass import MultiClassProblem
from .data.problem import Problem
from .families import EVERY_FAMILY, MEMORY, OF_SEVERAL, Family
from .families.wording import AIM, clause
from .parameters import check_arguments
from .rule_list import NearOptimalCounter, NearOptimalSearch, RuleListSearch
from .rule_list.exact.parallel.rounds import check_jobs
from .rule_list.fair.search import LABELS
from .rule_set import NearOptimalRuleSetSearch, RuleSetSearch
from .stepping import Search, solve

NEUTRAL: Mapping[str, Any] = {"method": "exact", "policy": "lower_bound", "iterations": 3000}
"""Values that ask for nothing; of all other parameters that is None."""
DEMANDS = ("must_use", "first_rule", "max_uses", "monotone")
"""What a model may have to use or obey; what is empty asks for nothing, too."""


@dataclass(frozen=True)
class Question:
    """What is asked of a problem, as a record: `rulelab.search` makes the search that answers it.

    Its words are those in which the page says it: ``str(question)``. What is None has the default of the search.

    Parameters
    ----------
    model : {"rule_list", "falling_rule_list", "rule_set"}
        The family of models.
    several : bool
        Whether the problem has more than two classes.
    criterion, fairness, must_use, first_rule, max_uses, monotone, max_length, violation_penalty, method : optional
        What decides which search answers, as `rulelab.search` takes it.
    regularization, positive_weight, max_complexity, max_conditions, loss, form, min_accuracy : optional
        Of the search that answers.

    Examples
    --------
    >>> import rulelab as rl
    >>> str(rl.Question("rule_list", regularization=0.01, max_length=3))
    'the rule list with the fewest errors, a rule costing 0.01, at most 3 rules'
    """

    model: str = "rule_list"
    several: bool = False
    criterion: Any = None
    fairness: Any = None
    must_use: Any = None
    first_rule: Any = None
    max_uses: Any = None
    monotone: Any = None
    max_length: Any = None
    violation_penalty: Any = None
    method: Any = "exact"
    # what decides no engine
    regularization: Any = None
    positive_weight: Any = None
    max_complexity: Any = None
    max_conditions: Any = None
    loss: Any = None
    form: Any = None
    min_accuracy: Any = None

    def __str__(self) -> str:
        kind = self.model, self.several, self.criterion is not None
        known = {
            (each.model or each.name, each.name in OF_SEVERAL, each.needs_groups): each
            for each in EVERY_FAMILY.values()
        }
        if (family := known.get(kind)) is None:  # no engine answers it
            return repr(self)
        aim, more = [], []
        for each in family.own:
            value = getattr(self, each.name, None)
            if each in family.aims:
                aim.append("".join(clause(each, each.default if value is None else value)))
            elif not asks_nothing(each.name, value):
                more.append("".join(clause(each, value)))
        of = "" if family.needs_groups else "with "
        return ", ".join([f"the {family.called} {of}{(aim or [AIM])[0]}", *more])

    @classmethod
    def of(cls, model: str, parameters: Mapping[str, Any], several: bool = False) -> Question:
        """The question of some parameters, as far as it decides the engine.

        Parameters
        ----------
        model : str
        parameters : mapping of str to object
            Those that decide no engine are not looked at.
        several : bool
        """
        return cls(model, several, **{name: value for name, value in parameters.items() if name in ASKING})

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, by parameter."""
        values = {name: getattr(self, name) for name in ASKING}
        return {name: value for name, value in values.items() if not asks_nothing(name, value)}


ASKING = ("criterion", "fairness", *DEMANDS, "max_length", "violation_penalty", "method")
"""The parameters that decide which engine answers."""


def asks_nothing(name: str, value: Any) -> bool:
    """Whether a search that does not know this parameter does what its value asks for."""
    if name == "bounds" and is_dataclass(value) and not isinstance(value, type):
        return bool(value == type(value)())  # all are used
    if name in DEMANDS and isinstance(value, str | list | tuple | Mapping) and not value:
        return True
    usual = NEUTRAL.get(name)
    return value is None or (type(value) is type(usual) and value == usual)


UNUSED = ("n_jobs", "random_state", "memory_limit", "labels", "min_group_size")
"""What no optimum depends on where a search does not know it: it does without."""


@dataclass(frozen=True)
class Engine:
    """A class of searches, which is imported when it is needed."""

    name: str  # of the class
    model: str  # the family of its models
    knows: tuple[str, ...] = ()  # what may be asked of it, of the parameters of a `Question`
    needs: tuple[str, ...] = ()  # what of that it must be asked
    where: str = ""  # when it is this one that answers, such as "where a list has to be fair"
    of_values: bool = False
    """Whether the criteria that it knows are those of predictive values; otherwise all others are."""
    several: bool = False  # whether its problems have several classes; otherwise two
    room: str = ""  # the module that has it; empty: that of its family

    def accepts(self, question: Question) -> ParameterError | None:
        """None where it answers this question of a model of its family, otherwise why not."""
        asked = question.asked
        if (self.model, self.several) != (question.model, question.several):
            return ParameterError("model", question.model, f"{self.model!r} for a {self.name}")
        for name, value in asked.items():
            if name not in self.knows:
                return self._only(name, value)
        for name in self.needs:
            if name not in asked:
                return ParameterError(name, getattr(question, name), f"given {self._where}")
        linear = getattr(question.fairness, "linear", None)  # what is no criterion is refused by the class
        if linear is not None and linear == self.of_values:
            wanted = "predictive parity" if self.of_values else "a criterion other than predictive parity"
            return ParameterError("fairness", question.fairness, f"{wanted} {self._where}")
        return None

    @property
    def made(self) -> type:
        """The class."""
        found: type = getattr(import_module(self.room or f"rulelab.{self.model}"), self.name)
        return found

    @property
    def takes(self) -> Collection[str]:
        """The parameters of its searches."""
        return arguments_of(self.made)

    def search(self, problem: Any, parameters: Mapping[str, Any]) -> Any:
        """A search; ParameterError for what it refuses or does not know, TypeError for what no search knows."""
        taken, given = self.takes, dict(parameters)
        for name, value in parameters.items():
            if name not in taken:
                if not (name in UNUSED or asks_nothing(name, value)):
                    if name in (*NEUTRAL, "bounds", *self.knows):
                        raise self._only(name, value)
                    raise TypeError(f"{self.name} has no option {name!r}; known are {', '.join(taken)}")
                del given[name]
        return self.made(problem, **given)

    def _only(self, name: str, value: Any) -> ParameterError:
        return ParameterError(name, value, f"{NEUTRAL.get(name)!r} {self._where}")

    @property
    def _where(self) -> str:
        return self.where or f"for a {self.name}"


_LISTS, _FALLING, _SETS = "rule_list", "falling_rule_list", "rule_set"
_FAIR, _PENALTY, _GAP = ("fairness",), ("violation_penalty",), ("criterion",)
_METHODS = ("exact", "monte_carlo")

ENGINES = [
    Engine("RuleListSearch", _LISTS, ("max_length",)),
    Engine("FairRuleListSearch", _LISTS, _FAIR, _FAIR, "where a list has to be fair"),
    Engine(
        "PredictiveParitySearch", _LISTS, _FAIR, _FAIR, "where a list has to be of predictive parity", of_values=True
    ),
    Engine("ConstrainedRuleListSearch", _LISTS, (*_FAIR, "max_length", *DEMANDS), where="where a list has to obey"),
    Engine("LeastGapSearch", _LISTS, (*_GAP, "max_length"), _GAP, "where the gap has to be least"),
    Engine("MultiClassRuleListSearch", _LISTS, ("max_length",), several=True, room="rulelab.multiclass"),
    Engine("FallingRuleListSearch", _FALLING, ("max_length",)),
    Engine("SoftSearch", _FALLING, (*_PENALTY, "max_length"), _PENALTY, "where a list may rise"),
    Engine("MonteCarloSearch", _FALLING, (*_PENALTY, "method"), ("method",), "where lists are drawn"),
    Engine("FairFallingSearch", _FALLING, (*_FAIR, "max_length"), _FAIR, "where a falling list has to be fair"),
    Engine("RuleSetSearch", _SETS, (*_FAIR, "must_use", "max_uses")),
    Engine("LeastGapRuleSetSearch", _SETS, _GAP, _GAP, "where the gap has to be least"),
]
"""In order of preference."""


def search(
    problem: Problem | MultiClassProblem, model: str | Question = _LISTS, minimize: str | None = None, **parameters: Any
) -> Search:
    """The search that answers what is asked of a problem.

    Parameters
    ----------
    problem : Problem or MultiClassProblem
    model : {"rule_list", "falling_rule_list", "rule_set"} or Question
        The family of models, or all that is asked.
    minimize : {"errors", "gap"}, optional
        What is to be least; the gap between groups is in true positive rates, where ``criterion`` names no other rates.
    **parameters
        Of the search, and what decides which one it is: ``fairness``, ``must_use``, ``first_rule``, ``max_uses``,
        ``monotone``, ``max_length``; of falling lists ``violation_penalty`` and ``method``; ``criterion`` for the least
        gap between groups. Where it makes no difference to the optimum, what a search does not know is left out, such
        as ``n_jobs``.

    Returns
    -------
    Search
        The first of `rulelab.questions.ENGINES` that accepts the question.

    Raises
    ------
    ParameterError
        When none does, or a value is out of range; it says what is allowed.
    TypeError
        When no such search has a parameter.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> problem = rl.Problem.from_arrays(np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool), [1, 1, 0, 0])
    >>> type(rl.search(problem, must_use=["antecedent 1"])).__name__
    'ConstrainedRuleListSearch'
    >>> type(rl.search(problem, "falling_rule_list", violation_penalty=0.1)).__name__
    'SoftSearch'
    """
    if isinstance(model, Question):
        asked = {
            each.name: getattr(model, each.name) for each in fields(model) if each.name not in ("model", "several")
        }
        given = {name: value for name, value in asked.items() if not asks_nothing(name, value)}
        model, parameters = model.model, given | parameters
    if minimize is not None:
        of_errors = parameters.get("criterion") is None
        check_choice("minimize", minimize, ("errors", "gap") if of_errors else ("gap",))
        if minimize == "gap" and of_errors:
            parameters["criterion"] = "equal_opportunity"
    models, method = dict.fromkeys(each.model for each in ENGINES), parameters.get("method")
    several = isinstance(problem, MultiClassProblem)
    known = method is None or (isinstance(method, str) and method in _METHODS)
    require(
        ("problem", problem, several or isinstance(problem, Problem), "a rulelab.Problem"),
        ("model", model, isinstance(model, str) and model in models, f"one of {', '.join(models)}"),
        ("method", method, known, f"one of {', '.join(_METHODS)}"),
    )
    check_jobs(parameters.get("n_jobs"))
    check_choice("labels", parameters.get("labels", "free"), LABELS)
    check_arguments(min_group_size=parameters.get("min_group_size", 0))
    made: Search = engine_of(Question.of(model, parameters, several)).search(problem, parameters)
    return made


def search_of(family: Family, problem: Any, parameters: Mapping[str, Any], **more: Any) -> Search:
    """A search of the problem, with the family's defaults of what is not given; ``more`` is no parameter of it."""
    chosen = {each.name: parameters.get(each.name, each.default) for each in (*family.own, MEMORY)}
    return search(problem, family.model or family.name, **{**chosen, **more})


def engine_of(question: Question) -> Engine:
    """The engine that answers a question; raises ParameterError when none does, with the words of the nearest one."""
    refusals: list[tuple[int, int, ParameterError]] = []
    for engine in ENGINES:
        refusal = engine.accepts(question)
        if refusal is None:
            return engine
        fit = len(question.asked.keys() & set(engine.knows)) - len(set(engine.needs) - question.asked.keys())
        refusals.append((fit if refusal.name != "model" else -len(ASKING), len(refusals), refusal))
    raise max(refusals)[-1]


def allows(question: Question, name: str) -> bool:
    """Whether something can be asked for by this parameter, besides what the question asks."""
    if name not in ASKING:
        return name in engine_of(question).takes
    more: Question = replace(question, **{name: True})  # type: ignore[arg-type]
    return any(engine.accepts(more) is None for engine in ENGINES)


def near_optimal(
    of: Any,
    within: float | None = None,
    *,
    ratio: float | None = None,
    count: bool = False,
    limit: int | None = None,
    memory_limit: int | None = None,
    time_limit: float | None = None,
    work_limit: int | None = None,
    model: str = "rule_list",
    **parameters: Any,
) -> Any:
    """All rule lists, or rule sets, within a distance of the optimum.

    Parameters
    ----------
    of : Problem, RuleListSearch, RuleSetSearch or fitted classifier
        What has not certified its optimum is advanced to it first.
    within : float, optional
        Models with an objective at most the optimum's + ``within`` are near-optimal; or
    ratio : float, optional
        at most the optimum's * (1 + ``ratio``). Give one of the two, or neither: then it is within 0.01 for lists, and
        a ratio of 0.01 for sets, whose objective is in rows.
    count : bool
        Count the lists instead of listing the models.
    limit : int, optional
        Most models to find; 10 000 by default.
    memory_limit : int, optional
        Bytes that the enumeration may take.
    time_limit : float, optional
        Wall-clock seconds, for certifying the optimum and enumerating.
    work_limit : int, optional
        Units of work, for both.
    model : {"rule_list", "rule_set"}
        With a problem: the family of models.
    **parameters
        With a problem: of the search, such as ``regularization``.

    Returns
    -------
    NearOptimal, NearOptimalRuleSets or NearOptimalCount
        The result of a `NearOptimalSearch`, a `NearOptimalRuleSetSearch` or a `NearOptimalCounter`. When a limit ended
        it early, ``complete`` is False.

    Raises
    ------
    ValueError
        When an argument is out of range, for models of which near-optimal ones are not searched for, and for a search
        that has not certified its optimum when there is neither a time limit nor a work limit.

    Examples
    --------
    >>> import numpy as np, rulelab as rl
    >>> A = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
    >>> problem = rl.Problem.from_arrays(A, [1, 1, 0, 0])
    >>> rl.near_optimal(problem, within=0.1, regularization=0.1).count
    1
    >>> rl.near_optimal(problem, within=0.1, regularization=0.1, count=True).n_lists
    2
    """
    if "gap" in parameters:
        raise TypeError("near_optimal has no option 'gap': within is the distance from the optimum")
    first = of.search_ if hasattr(type(of), "search_") else of
    asked = isinstance(of, Problem)
    if asked:
        first = search(of, model, **parameters)
    if not isinstance(first, RuleListSearch | RuleSetSearch):
        named = "a RuleListSearch, a RuleSetSearch, a classifier of rule lists or rule sets, or a Problem"
        raise ParameterError("of", first, named)
    if parameters and not asked:
        raise ValueError(f"{', '.join(parameters)}: the search's own; give them only with a problem")
    if not (asked or first.certified or time_limit is not None or work_limit is not None):
        raise ValueError(
            "the search has not certified its optimum yet, which can take any time; let it finish first "
            "(rulelab.solve), or give a time_limit or a work_limit"
        )
    given: dict[str, Any] = {"ratio": ratio, "memory_limit": memory_limit}
    if limit is not None:
        given["limit"] = limit
    make: Any = NearOptimalRuleSetSearch if isinstance(first, RuleSetSearch) else NearOptimalSearch
    if count:
        if limit is not None or make is NearOptimalRuleSetSearch:
            text = "count must be False for rule sets, which are listed, and with a limit"
            raise ParameterError("count", count, "False for rule sets and with a limit", text)
        make = NearOptimalCounter
    near = make(first, within=within, **given)
    solve(near, time_limit=time_limit, work_limit=work_limit)
    return near.result()

"""The engines, and the search that answers a question: the first of them that accepts it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..arguments import ParameterError, check_arguments, check_choice, require
from ..data.multiclass import MultiClassProblem
from ..data.problem import Problem
from ..rule_list.exact.parallel.threads import check_jobs
from ..rule_list.fair.search import LABELS
from ..search import Search
from .engine import Engine
from .question import ASKING, DEMANDS, Question

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


def search_for(problem: Problem | MultiClassProblem, model: str = _LISTS, **parameters: Any) -> Search:
    """The search that answers what is asked of a problem.

    Parameters
    ----------
    problem : Problem or MultiClassProblem
    model : {"rule_list", "falling_rule_list", "rule_set"}
        The family of models.
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
    >>> type(rl.search_for(problem, must_use=["antecedent 1"])).__name__
    'ConstrainedRuleListSearch'
    >>> type(rl.search_for(problem, "falling_rule_list", violation_penalty=0.1)).__name__
    'SoftSearch'
    """
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

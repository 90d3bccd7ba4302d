"""Rules of cards are compared by what they ask, not by their words."""

from random import Random

import numpy as np
import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

import rulelab as rl
from rulelab.data.conditions import Condition
from rulelab.models import RuleSet
from rulelab.views.cards.differences import ELSE, joined, lines

TABLE = pd.DataFrame(
    {
        "n": [0, 1, 2, 3, 4, 5, None, 2.5],
        "c": ["a", "b", "c", None, "a", "3", "b", "c"],
        "f": pd.array([True, False, True, False, None, True, False, None], dtype="boolean"),
    }
)
CONDITIONS = st.one_of(
    st.builds(Condition, st.just("n"), st.sampled_from(["<=", ">"]), st.sampled_from([1, 1.0, 2, 2.5, 3, 3.0])),
    st.builds(Condition, st.just("n"), st.sampled_from(["==", "!="]), st.sampled_from([2, 2.0, 2.5, "2", "2.5"])),
    st.builds(Condition, st.just("c"), st.sampled_from(["==", "!="]), st.sampled_from(["a", "b", "c", "3"])),
    st.builds(Condition, st.just("f"), st.sampled_from(["==", "!="]), st.booleans()),
    st.builds(Condition, st.sampled_from("ncf"), st.sampled_from(["is missing", "is present"])),
)
RULES = st.lists(CONDITIONS, min_size=1, max_size=4)


def holds(rule: list[Condition]) -> np.ndarray:
    return np.logical_and.reduce([condition.evaluate(TABLE[condition.column]) for condition in rule])


@example([Condition("c", "==", "a"), Condition("c", "==", "b"), Condition("c", "!=", "a")], Random(0))
@given(RULES, st.randoms(use_true_random=False))
def test_order_names_and_repetition_say_nothing(rule, random) -> None:
    other = [*rule, random.choice(rule)]
    random.shuffle(other)
    assert joined(rule, "one name") == joined(tuple(other), "another name")


@given(st.data())
def test_rules_that_are_the_same_hold_on_the_same_rows(data) -> None:
    rule = data.draw(RULES)
    other = data.draw(st.one_of(RULES, st.permutations(rule), st.just([*rule, data.draw(CONDITIONS)])))
    if joined(rule, "") == joined(other, ""):
        assert (holds(rule) == holds(other)).all()


SAME = [
    ([("n", "<=", 3)], [("n", "<=", 3.0)]),
    ([("n", "<=", 0.1 + 0.2)], [("n", "<=", 0.3)]),
    ([("n", ">", 1), ("n", ">", 2)], [("n", ">", 2)]),
    ([("n", ">", 1), ("n", "<=", 3), ("n", "<=", 5)], [("n", "<=", 3), ("n", ">", 1)]),
    ([("n", "==", 3)], [("n", "==", "3")]),
    ([("f", "!=", True)], [("f", "==", False)]),
    ([("c", "is present", None), ("c", "!=", "a")], [("c", "!=", "a")]),
    ([("c", "==", "b"), ("c", "!=", "a")], [("c", "==", "b")]),
]

OTHER = [
    ([("n", "<=", 3)], [("n", ">", 3)]),
    ([("n", "<=", 3)], [("n", "<=", 3.1)]),
    ([("f", "==", True)], [("f", "==", False)]),
    ([("c", "==", "a")], [("c", "!=", "a")]),
    ([("c", "==", "a")], [("n", "==", "a")]),
    ([("c", "is present", None)], [("c", "is missing", None)]),
]


def test_the_same_in_other_texts_is_one_rule_and_another_condition_another() -> None:
    for rule, other in SAME:
        assert joined([Condition(*c) for c in rule], "") == joined([Condition(*c) for c in other], "")
    for rule, other in OTHER:
        assert joined([Condition(*c) for c in rule], "x") != joined([Condition(*c) for c in other], "x")


def test_a_rule_is_found_again_in_other_families() -> None:
    frame = pd.DataFrame({"a": [1, 1, 0, 0, 1, 0], "b": [1, 0, 1, 0, 0, 1]}).astype(bool)
    problem = rl.Problem.from_arrays(frame, [1, 1, 1, 0, 1, 0])
    first = [line.meaning for line in lines(rl.RuleList.from_problem(problem, [0, 1]))]
    falling = [line.meaning for line in lines(rl.FallingRuleList.from_problem(problem, [0, 1]))]
    single = [line.meaning for line in lines(RuleSet.from_problem(problem, [[0], [1]]))]
    assert first == falling == [*single, ELSE]
    both = lines(RuleSet.from_problem(problem, [[0, 1]]))[0]
    either = lines(RuleSet.from_problem(problem, [[0, 1]], "cnf"))[0]
    assert both.meaning == joined([Condition("a", "==", True), Condition("b", "==", True)], "")
    assert either.meaning != both.meaning
    unnamed = rl.RuleList.from_problem(
        rl.Problem.from_arrays(frame.to_numpy(), [1, 1, 1, 0, 1, 0], names=["a", "b"]), [0]
    )
    assert lines(unnamed)[0] == lines(rl.RuleList.from_problem(problem, [0]))[0]

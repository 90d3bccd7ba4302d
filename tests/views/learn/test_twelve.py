"""The walk over twelve rows: what it says of every list is what the library and brute force say."""

from itertools import permutations

import numpy as np

import rulelab as rl
from rulelab.views.learn.twelve import FACTS, PEOPLE, PRICE, STEPS, checked, prefixes, problem


def test_a_list_costs_what_the_library_says_and_no_list_is_below_its_prefixes() -> None:
    twelve, known = problem(), prefixes()
    facts = np.array([[each == "1" for each in looks] for looks, _ in PEOPLE])
    ends = np.array([end == "defaults" for _, end in PEOPLE])
    assert len(known) == sum(1 for k in range(5) for _ in permutations(FACTS, k)) == known[""]["lists"]
    for name, found in known.items():
        chosen = [FACTS.index(fact) for fact in name.split(",") if fact]
        model = rl.RuleList.from_problem(twelve, chosen)
        errors = int((model.predict(facts) != ends).sum())
        assert found["cost"] == errors + PRICE * len(chosen)
        after = [known[each]["cost"] for each in known if f"{each},".startswith(f"{name}," if name else "")]
        assert len(after) == found["lists"]
        assert found["bound"] <= min(after)
        assert found["bound"] == found["wrong"] + found["price"] + found["alike"]


def test_what_is_asked_has_an_answer() -> None:
    known, best = prefixes(), min(found["cost"] for found in prefixes().values())
    asked = [(step["asked"], known[step["prefix"]].get(step["asked"])) for step in STEPS]
    assert [number for _, number in asked if number is not None] == [5, 1.5, 2.5, 3.5, 16]
    assert [what for what, number in asked if number is None] == ["first", "better"]
    assert [fact for fact in FACTS if known[fact]["bound"] < best] == ["owns"], "one first rule has to be followed"


def test_the_least_cost_is_proven_and_the_proof_is_checked() -> None:
    best = min(found["cost"] for found in prefixes().values())
    assert checked() == f"optimal: no list of these facts costs less than {best:g}"

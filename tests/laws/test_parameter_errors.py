"""A parameter with a wrong value is refused with its name and what it has to be, at every door."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_cli import run
from test_views_wrong_input import seen, write

import rulelab as rl
from rulelab.datasets import from_frame
from rulelab.families import EVERY_FAMILY, FAMILIES, MEMORY, OF_SEVERAL, Family, Parameter
from rulelab.fitting import CLASSIFIERS
from rulelab.recipe import Recipe
from rulelab.views.live.recipe import PageRecipe
from rulelab.views.search.setup import Setup

FRAME = pd.DataFrame({"age": np.arange(60) % 23, "town": [*"abc"] * 20, "sex": [*"fm"] * 30})
FRAME["paid"] = (FRAME.age > 9).astype(int)
WRONG: dict[str, Any] = {
    "whole": -1,
    "number": -1.0,
    "fraction": 1.5,
    "size": -1,
    "choice": "beauty",
    "text": "beauty",
    "measure": "beauty",
    "criterion": "beauty",
    "name": 3,
    "names": 3,
    "limits": {"age": -1},
    "directions": {"age": "up"},
    "switch": "maybe",
}
"""What no parameter of a kind can be."""
TAKES_ANYTHING = {"negations"}
EVERY = [
    pytest.param(family, each, id=f"{family.name}-{each.name}")
    for family in EVERY_FAMILY.values()
    for each in family.parameters
    if each.name not in TAKES_ANYTHING
]
TYPED = ("whole", "number", "fraction")
NEEDS_DATA = ("switch", "name", "names")
"""Of which no text is wrong before there are data."""
OF_FITS = [each for each in EVERY if each.values[0].name in FAMILIES]
ON_THE_PAGE = [each for each in EVERY if each.values[0].name not in OF_SEVERAL]


def refused(family: Family, parameter: Parameter) -> rl.ParameterError:
    """What the steps from a table to a search say of a wrong value."""
    recipe = Recipe(family, {parameter.name: WRONG[parameter.kind]})
    with pytest.raises(rl.ParameterError) as caught:
        _try(recipe)
    return caught.value


def _try(recipe: Recipe) -> None:
    recipe.check(list(FRAME))
    if recipe.family.name in OF_SEVERAL:
        recipe.search(rl.MultiClassProblem.from_arrays([[False], [True]] * 2, [0, 1, 2, 1]))
    else:
        recipe.smallest()


@pytest.mark.parametrize(("family", "parameter"), EVERY)
def test_the_error_has_name_value_and_requirement(family: Family, parameter: Parameter) -> None:
    error = refused(family, parameter)
    assert error.name == parameter.name
    assert error.value in (WRONG[parameter.kind], *np.atleast_1d(WRONG[parameter.kind]), -1, "up")
    assert error.requirement
    assert parameter.name in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.name, copy.requirement, str(copy)) == (error.name, error.requirement, str(error))


@pytest.mark.parametrize(("family", "parameter"), OF_FITS)
def test_the_estimator_says_the_same(family: Family, parameter: Parameter) -> None:
    estimator = CLASSIFIERS[family.name](**{parameter.name: WRONG[parameter.kind]})
    with pytest.raises(rl.ParameterError) as caught:
        estimator.fit(FRAME.drop(columns="paid"), FRAME.paid)
    error = refused(family, parameter)
    assert (caught.value.name, caught.value.requirement) == (error.name, error.requirement)


@pytest.mark.parametrize(("family", "parameter"), [each for each in OF_FITS if each.values[1].kind not in NEEDS_DATA])
def test_the_command_names_the_option(
    family: Family, parameter: Parameter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    option, wrong = f"--{parameter.name.replace('_', '-')}", WRONG[parameter.kind]
    text = ":".join(map(str, *wrong.items())) if isinstance(wrong, dict) else str(wrong)
    model = family.name.replace("_", "-")
    status, _, err = run(
        capsys, "fit", tmp_path / "people.csv", "--target", "paid", "--model", model, f"{option}={text}"
    )
    assert status == 2
    assert option in err or f"{parameter.name} must be" in err


@pytest.mark.parametrize(("family", "parameter"), [each for each in EVERY if each.values[1].kind in TYPED])
def test_the_field_says_what_it_has_to_be(family: Family, parameter: Parameter) -> None:
    setup = Setup(family=family.name)
    write(setup.more, parameter.title, str(WRONG[parameter.kind]))
    wrong = seen(setup.more, parameter.title)["wrong"]
    assert wrong.startswith(f"{parameter.title}: ")
    assert parameter.required in wrong


@pytest.mark.parametrize(
    ("family", "parameter"),  # but sizes and switches, which the page makes of its own
    [each for each in ON_THE_PAGE if each.values[1] != MEMORY and each.values[1].kind != "switch"],
)
def test_a_run_of_the_page_calls_it_what_its_field_is_called(family: Family, parameter: Parameter) -> None:
    data = from_frame(FRAME, "paid", sensitive=["sex"])
    asked = {"criterion": "equal_opportunity"} if family.needs_groups else {}
    recipe = PageRecipe(
        family, {**asked, "min_group_size": 1, parameter.name: WRONG[parameter.kind]}, lambda: data, sensitive="sex"
    )
    with pytest.raises(rl.ParameterError) as caught:
        recipe(lambda doing: None)
    assert caught.value.name == parameter.name
    assert f"“{parameter.title}”" in str(caught.value)

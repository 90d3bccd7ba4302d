"""The settings of sweeps on the page: lists of numbers, what the data allow, uploaded files."""

from __future__ import annotations

import pytest
from live import HOSTILE, use_file, use_roles
from patience import PATIENCE, wait_until
from test_sweep_counted import FRAME
from test_views_fronts import SMALL

import rulelab as rl
from rulelab.sweeps import SweepError
from rulelab.views.forms import tables as served_tables
from rulelab.views.forms.data import UPLOADED
from rulelab.views.forms.data_settings import DataSettings
from rulelab.views.fronts.model import ALL_ROWS
from rulelab.views.fronts.order import numbers
from rulelab.views.fronts.run import Run
from rulelab.views.fronts.setup import SweepSetup
from rulelab.views.fronts.tab import FrontsView
from rulelab.views.fronts.view import FrontView
from rulelab.views.live import recipe


@pytest.mark.parametrize(
    ("text", "whole", "expected"), [("0.05, 0.02;0.05", False, [0.05, 0.02]), (" 3,5 ,", True, [3, 5])]
)
def test_lists_of_numbers_are_read(text: str, whole: bool, expected: list[float]) -> None:
    assert numbers(text, "field", whole) == expected


@pytest.mark.parametrize(("text", "whole"), [("", False), ("a", False), ("0.5", True), ("1," * 40, True)])
def test_other_texts_are_refused_with_the_field_s_name(text: str, whole: bool) -> None:
    if text == "1," * 40:
        text = ",".join(map(str, range(40)))
    with pytest.raises(ValueError, match="field"):
        numbers(text, "field", whole)


def test_settings_make_an_order() -> None:
    setup = SweepSetup(
        sweep_families=["rule_set", "rule_list", "falling_rule_list"],
        set_grid="4",
        list_grid="0.1",
        sweep_baselines=["cart"],
    )
    order = setup.order()
    assert order.sensitive == ("sex",)
    assert order.grids["rule_list"] == {"regularization": [0.1], "max_conditions": [1], "thresholds": [5]}
    assert order.grids["rule_set"] == {"max_complexity": [4], "max_conditions": [3], "thresholds": [5]}
    setup.set_fairness = "equalized_odds"
    setup.set_tolerances = "0.1"
    for family in ("rule_set", "rule_list", "falling_rule_list"):
        assert setup.order().grids[family]["fairness"] == [None, rl.EqualizedOdds(0.1, 0.1)]
    setup.set_fairness = "predictive_parity"
    grids = setup.order().grids
    assert grids["rule_list"]["fairness"] == [None, rl.PredictiveParity(0.1)]
    assert not any("fairness" in grids[family] for family in ("rule_set", "falling_rule_list"))
    setup.sweep_data = "tic_tac_toe"
    with pytest.raises(SweepError, match="sensitive"):
        setup.order()
    setup.set_fairness = "none"
    assert setup.order().sensitive == ()
    assert "fairness" not in setup.order().grids["falling_rule_list"]
    setup.sweep_families = []
    with pytest.raises(SweepError, match="family"):
        setup.order()


def test_baselines_are_offered_where_the_data_allow_them() -> None:
    setup = SweepSetup(sweep_baselines=list(rl.sweeps.BASELINES))
    assert "compas_score" not in setup.order().baselines
    setup.sweep_data = "compas"
    assert "compas_score" in setup.order().baselines
    assert setup.sweep_sensitive == "race"
    setup.sweep_sensitive = "race and sex"
    assert setup.order().sensitive == ("race", "sex")
    setup.sweep_data = "breast_cancer"
    assert not {"compas_score", "threshold_optimizer"} & set(setup.order().baselines)


def test_bad_settings_are_explained_on_the_tab() -> None:
    tab = FrontsView()
    tab.setup.list_grid = "much"
    tab.run()
    assert "regularizations" in tab.view._alert.phase
    assert tab.view.run is None


def test_a_sweep_can_be_cancelled_while_there_is_one() -> None:
    tab = FrontsView()
    assert tab._cancel.disabled
    tab.setup.param.update(sweep_families=["rule_list"], sweep_baselines=[], list_grid="0.05", sweep_folds=2)
    tab.run()
    assert not tab._cancel.disabled
    tab._cancel.clicks += 1
    wait_until(lambda: not tab.view.run.busy)
    tab.view.refresh()
    assert tab._cancel.disabled
    tab.view.close()


ROWS = "".join(f"{'red' if i % 3 else HOSTILE},{i % 7},{'yes' if i % 3 else 'no'},{i % 2}\n" for i in range(60))
CSV = f"colour,size,ok,side\n{ROWS}".encode()


def shared_setups() -> tuple[DataSettings, SweepSetup]:
    """The settings of both tabs, of which the second one follows the tables of the first one, as on the page."""
    search, sweep = DataSettings(), SweepSetup()
    search.param.watch(lambda *events: sweep.param.update(**{e.name: e.new for e in events}), ["uploaded", "tables"])
    return search, sweep


def test_an_uploaded_file_can_be_swept(tmp_path, monkeypatch) -> None:
    search, setup = shared_setups()
    assert "upload it in the tab Search" in setup._about_data.object
    use_file(
        search, CSV, "my file.csv", positive="no", ok="target", colour="sensitive", size="sensitive", side="sensitive"
    )
    assert UPLOADED in setup._data.options.values()
    assert setup.sweep_data == "diabetes"
    setup.sweep_data = UPLOADED
    assert "ok = no" in setup._about_data.object
    assert setup.param.sweep_sensitive.objects == ["(none)", "colour", "size", "side"]
    assert setup.sweep_sensitive == "(none)"
    setup.param.update(
        sweep_sensitive="side", sweep_families=["rule_list"], list_grid="0.1", sweep_baselines=["cart"], sweep_folds=2
    )
    use_roles(search, positive="yes")
    assert setup.sweep_sensitive == "side", "another class leaves the attribute"
    order = setup.order()
    done = Run(order)
    done.join(PATIENCE)
    assert done.error is None
    assert done.started.data.name == "my file"
    assert done.started.data.positive == "yes"
    assert done.started.sweeps[0].groups == ("0", "1")
    assert {p.method for p in done.tables.points["test"]} == {"rule_list", "cart"}
    (tmp_path / "my file.csv").write_bytes(CSV)
    monkeypatch.chdir(tmp_path)
    made: dict[str, object] = {}
    exec(f"{done.started.codes[0]}\nsweep.wait()", made)
    assert made["sweep"].plan.identity["data"] == done.started.sweeps[0].plan.identity["data"]
    use_roles(search, side="target")
    assert "side" not in setup.param.sweep_sensitive.objects
    assert setup.sweep_sensitive == "(none)"
    setup.sweep_data = "compas"
    assert setup.sweep_sensitive == "race"
    assert "in the list" in setup._about_data.object


@pytest.mark.parametrize(
    ("role", "expected"),
    [("feature", "rarer class has only 2"), ("weight", "have weights; give that column another role")],
)
def test_an_uploaded_file_that_cannot_be_swept_is_explained(role, expected) -> None:
    search, setup = shared_setups()
    contents = b"a,b,y\n" + b"".join(b"%d,%d,%d\n" % (i % 7, i % 5, i < 2) for i in range(40))
    use_file(search, contents, b=role)
    setup.sweep_data = UPLOADED
    done = Run(setup.order())
    done.join(PATIENCE)
    assert expected in str(done.error)
    assert done.started.sweeps == ()


def test_data_too_large_for_the_page_are_not_swept(monkeypatch) -> None:
    monkeypatch.setattr(recipe, "MAX_CELLS", 1000)
    done = Run(SMALL)
    done.join(PATIENCE)
    assert "more than the" in str(done.error)


@pytest.fixture
def served(tmp_path):
    """A table of the server, of 600 rows in two files."""
    place = tmp_path / "secret place"
    place.mkdir()
    for k, part in enumerate((FRAME[:300], FRAME[300:])):
        part.to_parquet(place / f"trips_{k}.parquet")
    yield str(place / "trips_*.parquet")
    served_tables.offer([])


def test_a_table_of_the_server_is_swept_by_its_counts(served, monkeypatch) -> None:
    served_tables.offer([served])
    search, setup = shared_setups()
    assert "trips (table of this server)" in setup._data.options
    assert (setup._folds.visible, setup._test.visible) == (True, False)
    setup.sweep_data = "trips"
    assert (setup._folds.visible, setup._test.visible) == (False, True)
    assert "Choose this table in the tab Search first" in setup._about_data.object
    with pytest.raises(SweepError, match="Choose this table in the tab Search first"):
        setup.order()
    search.data = "trips"
    for name, role in (("y", "target"), ("sex", "sensitive")):
        search.draft.give(name, role)
    search.accept()
    assert "It predicts y = 1" in setup._about_data.object
    assert setup.param.sweep_sensitive.objects == ["(none)", "sex"]
    assert setup.param.sweep_key.objects[1:] == ["age", "two", "id"]
    setup.param.update(
        sweep_sensitive="sex",
        sweep_key="id",
        sweep_families=["rule_list"],
        list_grid="0.05, 0.01",
        sweep_baselines=["cart", "random_forest"],
    )
    order = setup.order()
    assert order.baselines == ("cart",)
    done = Run(order)
    done.join(PATIENCE)
    assert done.error is None
    started = done.started
    sweep = started.sweeps[0]
    assert sweep.plan.counts.n_rows == 600
    assert sweep.groups == ("f", "m")
    assert "secret" not in f"{started.data.notes}{started.codes}"
    made: dict[str, object] = {}
    exec(started.codes[0].replace("trips_*.parquet", served) + "\nsweep.wait()", made)
    assert made["sweep"].plan.identity["data"] == sweep.plan.identity["data"]
    assert made["sweep"].plan.identity["rows"] == sweep.plan.identity["rows"]

    view = FrontView()
    view.follow(Run(order))
    wait_until(lambda: not view.refresh())
    view.point = "0:0"
    assert "30 % of the keys in &#x27;id&#x27; are kept out for the test" in view._summary.object
    assert "folds" not in view._summary.object
    assert not view._measure.visible
    card = view._model.card
    assert card.parameters["test split"] == sweep.plan.split
    assert int(card.facts["test rows"]) + int(card.data["training rows"]) == 600
    view._model.fold = ALL_ROWS
    wait_until(lambda: not view.refresh() and view._model.card is not card)
    assert view._model.card.data["training rows"] == "600"
    assert "kept out" not in view._model.card.limits
    view.close()


def test_a_table_with_a_target_needs_no_sheet_and_may_be_dealt_at_random(served) -> None:
    served_tables.offer([served], target="y")
    setup = SweepSetup(sweep_families=["rule_list"], list_grid="0.05", sweep_baselines=[])
    setup.sweep_data = "trips"
    setup.sweep_test_share = 0.25
    done = Run(setup.order())
    done.join(PATIENCE)
    assert done.error is None
    assert "25 % of the rows are kept out for the test, at random" in done.started.sweeps[0].plan.split
    setup.sweep_data = "diabetes"
    assert setup.order().counting is None

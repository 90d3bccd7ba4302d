"""The layers import in one direction only, and importing the package is light."""

import json
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

import architecture
import pandas as pd
import pytest
from command_line import python
from structure import dotted, imported, imports, internal, modules

import rulelab
from rulelab.cli.commands import main
from rulelab.cli.output import one_line
from rulelab.lazy import gone

ENGINES = ("rule_list", "falling_rule_list", "rule_set")
FLOORS = Path(__file__).with_name("floors.txt").read_text(encoding="utf-8").splitlines()
"""From the ground up. A room, or a file of one, imports from the floors below it, and within itself."""

ALONE = "datasets"
ANYBODY = ("fitting", "papers", "report", "store", "sweeps", "tables", "views", "cli")
BELOW_ALL = ("dates", "files", "lazy", "sharing", "shown")
"""How things show themselves, which data sets do like all others."""
"""Who may import the data sets."""

UI = {"panel", "bokeh", "holoviews", "panel_material_ui", "param"}
HEAVY = UI | {"duckdb", "narwhals", "numba", "sklearn", "pandas", "pyarrow", "pooch", "sqlalchemy"}


@cache
def room(name: str) -> str | None:
    """The room on a floor that a dotted name is of, the innermost."""
    places = {place for floor in FLOORS for place in floor.split()}
    parts = name.split(".")
    inside = [".".join(parts[:k]) for k in range(len(parts), 0, -1)]
    return next((place for place in inside if place in places), None)


@cache
def level(name: str) -> float:
    """The floor of a dotted name; a package's own file, that gathers its rooms, stands half a floor above them."""
    inside = [k for k, floor in enumerate(FLOORS) if any(place.startswith(f"{name}.") for place in floor.split())]
    if inside:
        return inside[-1] + 0.5
    return next(k for k, floor in enumerate(FLOORS) if room(name) in floor.split())


def backward(importer: str, imported: str) -> bool:
    """Whether one part of the package must not import another; both are dotted names of modules."""
    top, other = importer.split(".")[0], imported.split(".")[0]
    if ALONE in (top, other):
        return top != other and not (other == ALONE and top in ANYBODY) and other not in BELOW_ALL
    if {top, other} <= set(ENGINES) and top != other:
        return True
    same = room(importer) is not None and room(importer) == room(imported)
    return not same and level(imported) >= level(importer)


def test_every_module_has_its_place() -> None:
    gathering = {f"{place}."[: k + 1] for floor in FLOORS for place in floor.split() for k in range(len(place))}
    for path in modules():
        name = ".".join(dotted(path)[1:])
        assert not name or name.split(".")[0] == ALONE or room(name) or f"{name}." in gathering, name


def test_arrows_go_one_way() -> None:
    wrong = []
    for path in modules():
        name = dotted(path)
        if len(name) == 1:
            assert internal(path) == {"lazy"}, "the package itself imports lazily"
            continue
        back = sorted(other for other in internal(path) if backward(".".join(name[1:]), other))
        wrong += [f"{'.'.join(name)} imports {other}" for other in back]
    assert not wrong, "\n".join(wrong)


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Modules of which each is imported by the next one, and the last is the first; none: an empty list."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_circles_inside_rooms_either() -> None:
    """Not even of imports in functions or for types alone."""
    arrows = {".".join(dotted(path)[1:]): internal(path) for path in modules()}
    assert not circle(arrows), " <- ".join(circle(arrows))


def test_circles_are_seen() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert sorted(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})[1:]) == ["a", "b", "c"]


def test_only_views_know_the_user_interface() -> None:
    wrong = []
    for path in modules():
        name = dotted(path)
        used = {each[0] for each in imported(path)} & UI
        if used and (len(name) < 2 or name[1] not in ("plots", "views")):
            wrong.append(f"{'.'.join(name)} imports {', '.join(sorted(used))}")
    assert not wrong, "\n".join(wrong)


def test_the_walk_sees_every_kind_of_import() -> None:
    source = (
        "from ..search import Search\nfrom . import kernels\nimport numba.core\n"
        "def f():\n    from rulelab.views.hall import serve\n    from .. import bits\n"
    )
    assert imports(source, ("rulelab", "rule_list", "search")) == {
        ("rulelab", "search", "Search"),
        ("rulelab", "rule_list", "kernels"),
        ("numba", "core"),
        ("rulelab", "views", "hall", "serve"),
        ("rulelab", "bits"),
    }
    found = imports("from . import cache", ("rulelab", "datasets"), is_package=True)
    assert found == {("rulelab", "datasets", "cache")}


BACKWARD = """
stepping rule_list.exact.search
rule_list.bounds rule_list.exact.search
rule_set.search rule_list.bounds
rule_set.pricing.exact rule_set.search
rule_list views
views.cards.card views.search.view
datasets.reader kernels.bits
data.problem datasets
"""
FORWARD = """
rule_list.exact.search stepping
rule_list.exact.search rule_list.bounds
rule_list.near_optimal.search rule_list.exact.search
rule_list rule_list.near_optimal.search
rule_set.search rule_set.closing
views.cards.card estimators.base
views.cards.rows datasets
models.rule models.decision_list
"""


@pytest.mark.parametrize(("arrows", "wrong"), [(BACKWARD, True), (FORWARD, False)])
def test_which_arrows_are_backward(arrows: str, wrong: bool) -> None:
    assert [line for line in arrows.strip().splitlines() if backward(*line.split()) is not wrong] == []


def test_the_figure_shows_the_rooms_as_they_are() -> None:
    assert architecture.FIGURE.read_text(encoding="utf-8") == architecture.draw(), "run python tests/architecture.py"


@pytest.mark.parametrize("module", ["rulelab", "rulelab.cli.commands"])
def test_importing_is_light(module: str) -> None:
    code = f"import sys, json; import {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(python("-c", code))
    assert not HEAVY & set(loaded)
    assert len(loaded) < 200


def test_what_has_no_widgets_loads_no_panel() -> None:
    """Commands import it, and threads and processes that search."""
    views = "alternatives.counting alternatives.offline cards.card cards.checker live.wording forms.tables"
    names = [f"rulelab.views.{each}" for each in f"{views} live.apart live.session serving.settings".split()]
    code = f"import sys, {', '.join(names)}; print('panel' in sys.modules)"
    assert python("-c", code) == "False\n"


def test_public_names_resolve() -> None:
    for name in rulelab.__all__:
        assert getattr(rulelab, name) is not None, name
        assert name in dir(rulelab)


def test_a_name_that_stands_in_a_part_says_in_which() -> None:
    for name in ("errors.ModelError", "results.Snapshot", "engines.CorelsBounds"):
        assert attrgetter(name)(rulelab) is not None
        with pytest.raises(AttributeError, match=f"it is rl.{name}"):
            getattr(rulelab, name.partition(".")[2])


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'RuleForest'"):
        rulelab.RuleForest  # noqa: B018


@pytest.mark.parametrize("name", gone())
def test_what_is_gone_names_the_other_way(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name.startswith("rl."):
        assert name[3:] not in rulelab.__all__
        with pytest.raises(AttributeError, match=re.escape(gone()[name])):
            attrgetter(name[3:])(rulelab)
    else:
        with pytest.raises(SystemExit, match="2"):
            main([*name.split()[1:], "x"])
        assert one_line(gone()[name]) in capsys.readouterr().err


# without PyArrow, or without what the page needs, all else works, and what does not says what it needs ----------------
PAGE = ("bokeh", "holoviews", "panel", "panel_material_ui", "param", "sqlalchemy")
CURE, CURE_OF_THE_PAGE = 'pip install "rulelab[parquet]"', 'pip install "rulelab[page]"'
COMMANDS = """
import sys
from rulelab.cli.commands import main
sys.stderr = sys.stdout
for command in {!r}:
    print("status", main(command))
"""
CALLS = """
for call in ({}):
    try:
        call()
    except (ImportError, ValueError) as said:
        print(said)
"""


def without(packages: tuple[str, ...], code: str, folder: Path) -> str:
    """What is printed where some packages are not installed."""
    return python("-c", f"import sys; sys.modules.update(dict.fromkeys({packages!r}))\n{code}", cwd=folder)


def ended(packages: tuple[str, ...], folder: Path, *commands: str) -> list[tuple[int, str]]:
    """The status of each command, and what it prints."""
    told = without(packages, COMMANDS.format([command.split() for command in commands]), folder)
    parts = told.split("status ")
    return [(int(after.split()[0]), part) for part, after in pairwise(parts)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spreadsheet of decimal commas, and the same as Parquet."""
    folder = tmp_path_factory.mktemp("rows")
    table = pd.DataFrame({"size": [0.5 + k / 4 for k in range(40)], "kind": ["a", "b"] * 20})
    table["y"] = (table["size"] > 5).astype(int)
    table.to_csv(folder / "rows.csv", sep=";", decimal=",", index=False)
    table.to_parquet(folder / "rows.parquet")
    return folder


FIT = (
    "fit rows.csv --target y --max-conditions 1 --regularization 0.02 --quiet -o model.json --proof proof.npz",
    "verify rows.csv model.json proof.npz --target y",
)


@pytest.mark.long
def test_without_pyarrow_a_spreadsheet_is_fitted_and_verified_and_parquet_says_what_it_needs(folder: Path) -> None:
    parquet = ("fit rows.parquet --target y --quiet", "fit *.parquet --target y --quiet")
    (status, fitted), (verified, _), *refused = ended(("pyarrow",), folder, *FIT, *parquet)
    assert (status, verified) == (0, 0)
    assert "size <= " in fitted
    assert "certified optimal" in fitted
    for status, said in refused:
        assert status in (1, 2)
        assert CURE in said
        assert "Traceback" not in said


@pytest.mark.long
def test_the_core_makes_models_explorers_fronts_and_sweeps(folder: Path) -> None:
    more = ("near rows.csv -o near.html", "frontier rows.csv --max-length 2", "sweep rows.csv --folds 2")
    done = ended(PAGE, folder, *FIT, *(f"{command} --target y" for command in more))
    assert [status for status, _ in done] == [0] * 5, done
    assert "certified optimal" in done[0][1]


@pytest.mark.long
def test_the_page_plots_and_kept_runs_say_what_they_need(folder: Path) -> None:
    for status, said in ended(PAGE, folder, "serve", "runs list", "fit rows.csv --target y --keep"):
        assert status == 1, said
        assert CURE_OF_THE_PAGE in said
        assert "Traceback" not in said
    calls = "lambda: rl.plots, lambda: rl.views.SearchView, lambda: rl.store"
    assert without(PAGE, f"import rulelab as rl\n{CALLS.format(calls)}", folder).count(CURE_OF_THE_PAGE) == 3


POLARS = """
import pandas, polars, rulelab as rl
cells = {"x": [1, 2, None, 4], "s": ["a", "b", None, "c"], "b": [True, False, True, None], "y": [0, 1, 1, 0]}
cells = {name: column * 20 for name, column in cells.items()}
frame, known = polars.DataFrame(cells), pandas.DataFrame(cells)
made = rl.Binarizer().fit(frame)
assert made.conditions_ == rl.Binarizer().fit(known).conditions_, made.conditions_
fit = rl.RuleListClassifier(regularization=0.1, max_conditions=1).fit(frame.drop("y"), frame["y"])
assert (fit.predict(frame) == fit.predict(known)).all()
assert rl.datasets.from_frame(frame, "y").X.equals(rl.datasets.from_frame(known, "y").X)
"""


@pytest.mark.long
def test_polars_is_read_cell_by_cell_and_uploads_and_counts_say_what_they_need(folder: Path) -> None:
    calls = """
    lambda: rl.datasets.read(open("rows.parquet", "rb").read(), "y"),
    lambda: rl.tables.open("rows.csv"),
    lambda: rl.tables.load("rows.parquet"),
    """
    assert without(("pyarrow",), POLARS + CALLS.format(calls), folder).count(CURE) == 3

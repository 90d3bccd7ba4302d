"""The layers import in one direction only, and importing the package is light."""

import json
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from operator import attrgetter
from pathlib import Path

import architecture
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
BELOW_ALL = ("files", "lazy", "sharing", "shown")
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
    assert imports("from . import cache", ("rulelab", "datasets"), is_package=True) == {
        ("rulelab", "datasets", "cache")
    }


BACKWARD = """
search rule_list.exact.search
rule_list.bounds rule_list.exact.search
rule_set.search rule_list.bounds
rule_set.pricing.exact rule_set.search
rule_list views
views.cards.card views.search.view
datasets.reader kernels.bits
data.problem datasets
"""
FORWARD = """
rule_list.exact.search search
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
    views = (
        "alternatives.counting alternatives.offline cards.card cards.checker cards.templates forms.reading forms.tables"
    )
    names = [f"rulelab.views.{each}" for each in f"{views} live.apart live.session serving.settings".split()]
    code = f"import sys, {', '.join(names)}; print('panel' in sys.modules)"
    assert python("-c", code) == "False\n"


def test_public_names_resolve() -> None:
    for name in rulelab.__all__:
        assert getattr(rulelab, name) is not None, name
        assert name in dir(rulelab)


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

"""What is worked out once for all pages is what Bokeh and Panel work out for each."""

import os
import re
import sys
from collections.abc import Iterator

import panel as pn
import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.json_encoder import serialize_json
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.document import Document
from bokeh.models import BasicTicker, ColumnDataSource, FactorRange, FixedTicker, Range1d, Title
from bokeh.plotting import figure
from bokeh.themes import Theme
from panel.io.state import set_curdoc

import rulelab as rl
from rulelab.views.serving import remembered
from rulelab.views.serving.remembered import forget, remember

NUMBERED = re.compile(r"\bp\d+\b|(?<=[a-z])\d{5,}\b")
"""Names of models and of components."""


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    forget()
    yield
    forget()


def picture() -> pn.pane.Bokeh:
    plot = figure(width=200, title="one", x_range=Range1d(0, 1))
    plot.scatter([1, 2], [3, 4], marker="square")
    return pn.pane.Bokeh(plot)


def view() -> pn.Column:
    problem = rl.Problem.from_arrays([[1, 0], [0, 1], [1, 1], [0, 0]], [1, 0, 1, 0], ["a", "b"])
    search = rl.views.SearchView(rl.RuleListSearch(problem, regularization=0.1))
    return pn.Column(search, picture(), pn.widgets.Select(options=["x", "y"]), pn.Row("text"))


def written(shown: pn.viewable.Viewable, theme: Theme | None = None) -> str:
    """The document that shows something, with its models numbered as they come."""
    document = Document()
    with set_curdoc(document):
        shown.server_doc(document)
        if theme is not None:
            document.theme = theme
        text = serialize_json(document.to_json())
    numbers: dict[str, str] = {}
    return NUMBERED.sub(lambda found: numbers.setdefault(found.group(), f"#{len(numbers)}"), text)


def methods() -> list[object]:
    return [remembered._at(place, name) for place, name, _ in remembered._BETTER]


def test_documents_are_the_same() -> None:
    theme = Theme(json={"attrs": {"Title": {"text_color": "red"}, "Axis": {"axis_label_standoff": 3}}})
    written(view())  # the first component of a class says what the class is like
    plain, themed = written(view()), written(picture(), theme)
    assert len(plain) > 50_000
    assert themed != written(picture())
    remember()
    for _ in range(2):
        assert written(view()) == plain
        assert written(picture(), theme) == themed


def found_in(document: Document) -> tuple[set[str], int]:
    """The models that the roots of a document refer to, and how many calls it took."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        found = {each.id for root in document.roots for each in root.references()}
    finally:
        sys.setprofile(None)
    return found, calls


def test_models_that_are_referred_to_are_found_with_less_work() -> None:
    document, source = Document(), ColumnDataSource({"x": [0.5] * 3000, "y": ["a"] * 3000})
    with set_curdoc(document):
        view().server_doc(document)
    plot = figure(tags=[{"deep": [1, (Range1d(0, 7), "text")]}, {Range1d(0, 8): 2.0}], x_range=FactorRange("a", "b"))
    plot.line("x", "y", source=source)
    plot.yaxis[0].ticker = [1, 2.5]
    document.add_root(plot)
    known, before = found_in(document)
    remember()
    assert found_in(document)[0] == known
    found, after = found_in(document)  # what is worked out for each class is known now
    assert found == known
    assert {source.id, plot.tags[0]["deep"][1][0].id, next(iter(plot.tags[1])).id} <= found
    assert 2 * after < before
    for value in (FixedTicker(ticks=[1]), None):  # set where there was none, and taken away
        plot.yaxis[0].ticker = value or BasicTicker()
        plot.title = value and Title(text="x")
        found = found_in(document)[0]
        forget()
        assert found_in(document)[0] == found
        remember()


def test_defaults_that_can_change_are_not_shared() -> None:
    remember()
    one, other = figure(), figure()
    assert one.x_range is not other.x_range
    one.toolbar.autohide = True
    one.tags.append("mine")
    assert other.tags == []
    assert other.toolbar.autohide is False
    assert figure().xaxis[0] is not other.xaxis[0]


def test_it_is_done_once_and_undone_and_replaces_only_what_there_is(monkeypatch) -> None:
    before = methods()
    remember()
    replaced = methods()
    assert all(known is not made for known, made in zip(before, replaced, strict=True))
    remember()
    assert methods() == replaced
    forget()
    assert methods() == before
    monkeypatch.delattr(PropertyDescriptor, "has_unstable_default")
    monkeypatch.delattr(HasProps, "_overridden_defaults")
    remember()
    assert not hasattr(PropertyDescriptor, "has_unstable_default")
    assert hasattr(vars(HasProps)["themed_values"], "worked_out")
    forget()


def test_places_of_styles_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written(view())
    looked: list[str] = []
    isfile = os.path.isfile
    monkeypatch.setattr(os.path, "isfile", lambda path: looked.append(str(path)) or isfile(path))
    written(view())
    assert [each for each in looked if each.endswith(".css")]
    remember()
    written(view())
    looked.clear()
    written(view())
    assert not [each for each in looked if each.endswith(".css")]

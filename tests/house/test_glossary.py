"""Every name that a person meets has an entry in the glossary, and the entries hang together."""

import dataclasses
import doctest
import enum
import inspect
import re
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import param
import pytest
from command_line import output_of, python
from laws import MAKES, falling_for
from places import cases_beside
from public_names import LISTED, lines
from structure import is_public, public
from test_shown import html_of

import rulelab as rl
from rulelab import glossary
from rulelab.families import CRITERIA, FAMILIES
from rulelab.glossary import TERMS, ProseError, Term, explain, find, near
from rulelab.glossary.entries import read, read_files
from rulelab.rule_list import CORELS_BOUNDS, FAIR_BOUNDS
from rulelab.rule_list.exact.search import POLICIES
from rulelab.warming import grouped_problem

LIMITS = ("time limit", "gap limit", "work limit", "memory limit", "exactness", "iterations", "column limit")


SEVERAL = ("near", "robustness", "gap frontier", "fair frontier")
SEARCHES = {name: make for name, make in MAKES.items() if not name.startswith(SEVERAL)} | {
    "monte carlo": lambda p: falling_for(p, regularization=0.02, method="monte_carlo", iterations=20)
}
"""For one model."""


@pytest.mark.parametrize("make", SEARCHES.values(), ids=SEARCHES)
def test_bounds_and_counts_of_every_search_are_explained(make: Callable[[rl.Problem], rl.Search]) -> None:
    search = make(grouped_problem())
    snapshot = rl.solve(search, work_limit=500)
    unknown = {"simplex_iterations", "newton_steps"}  # of the linear programme: shown nowhere
    names = {*snapshot.pruned, *snapshot.counts} - unknown
    assert {name for name in names if find(name, search.family) is None} == set()
    for name in snapshot.pruned:
        term = find(name, search.family)
        assert term is not None
        assert term.formula or term.source or name.startswith("always: ") or name in ("captures nothing",), name


@pytest.mark.parametrize("family", ["rule_list", "falling_rule_list"])
def test_switches_have_their_theorem(family: str) -> None:
    own = {"rule_list": rl.engines.RuleListBounds, "falling_rule_list": rl.engines.FallingBounds}[family]
    others = (*CORELS_BOUNDS, *FAIR_BOUNDS) if family == "rule_list" else ()
    for name in chain((each.name for each in dataclasses.fields(own)), others):
        term = find(name, family)
        assert term is not None, name
        assert term.formula, name
        assert term.source, name


def test_parameters_of_the_records_are_explained() -> None:
    for family in FAMILIES.values():
        assert find(family.name) is not None
        assert find(f"{family.noun} objective").formula  # type: ignore[union-attr]
        for each in family.parameters:
            assert find(each.name, family.name) is not None, each.name
            for choice in each.choices:
                assert find(choice, family.name) is not None, choice


def test_criteria_have_the_formula_of_their_gap() -> None:
    for record in CRITERIA.values():
        term = find(record.name)
        assert term is not None
        assert find(record.words) is term
        assert "ε" in term.formula
        assert term.source


def test_statuses_limits_and_orders_are_explained() -> None:
    for name in (*rl.Status, *LIMITS):
        assert find(str(name)) is not None, name
    for policy in POLICIES:
        assert find(policy) is not None, policy


def test_terms_lead_to_terms_and_no_name_means_two() -> None:
    names: dict[str, str] = {}
    for term in TERMS.values():
        assert term.sentence.endswith("."), term.name
        assert "\n" not in str(term.sentence + term.text + term.formula)
        assert set(term.see) <= set(TERMS), term.name
        assert term.name not in term.see
        for name in (term.name, *term.aliases):
            assert names.setdefault(name, term.name) == term.name, name
            assert find(name) is term


def test_every_file_is_read() -> None:
    folder = Path(glossary.__file__).parent
    headings = re.compile(r"^## (.+)$", re.MULTILINE)
    names = [name for path in folder.glob("*.md") for name in headings.findall(path.read_text(encoding="utf-8"))]
    assert sorted(names) == sorted(TERMS)


def test_a_family_has_its_own_meaning() -> None:
    assert find("dominance", "falling_rule_list") is not find("dominance", "rule_list")
    assert find("always: hierarchical", "falling_rule_list").name == "hierarchical (falling rule list)"  # type: ignore[union-attr]
    assert find("max_conditions", "rule_set") is find("rule size")


def test_explain_takes_names_as_they_are_written() -> None:
    for written in ("lower bound", "Lower bound", "lower_bound", "LOWER-BOUND", "lower bound?"):
        assert explain(written) is TERMS["lower bound"]
    assert explain("min_support") is TERMS["min support"]


@pytest.mark.parametrize("wrong", ["lowr bound", "equivalent suport", "Curiousity"])
def test_unknown_terms_suggest_near_ones(wrong: str) -> None:
    with pytest.raises(ValueError, match="did you mean") as caught:
        explain(wrong)
    assert near(wrong)[0] in str(caught.value)


@pytest.mark.parametrize("nothing", ["", "zzzzqq", None, 3])
def test_what_is_no_word_is_refused(nothing: object) -> None:
    with pytest.raises(ValueError, match="no term"):
        explain(nothing)  # type: ignore[arg-type]


def test_entries_are_shown_whole_and_escaped() -> None:
    term = Term("a<b", "One & all.", "More.", "x < y", "Thm 1", ("gap",))
    assert str(term) == "a<b: One & all.\nMore.\n    x < y\nSource: Thm 1.\nSee also: gap."
    assert html_of(term).startswith("<p><b>a&lt;b</b>: One &amp; all.</p><p>More.</p><p>    x &lt; y</p>")


def test_the_command_explains_lists_and_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    assert output_of(capsys, "explain", "lower", "bound")[0] == f"{TERMS['lower bound']}\n"
    assert len(output_of(capsys, "explain")[0].splitlines()) == len(TERMS)
    assert "did you mean lower bound" in output_of(capsys, "explain", "lowerbound", status=1)[1]


def test_explaining_loads_nothing_heavy() -> None:
    code = "import sys, rulelab; rulelab.explain('gap'); print(*{'numpy', 'numba', 'panel'} & set(sys.modules))"
    assert python("-c", code).strip() == ""


# the files of the glossary: what is not written as entries are is refused, with its file and line ---------------------
PAPERS = {"OWN": "one's own", "OLD": "an old paper"}
ENTRY = Path(__file__).with_name("entry.md").read_text(encoding="utf-8")


def read_one(text: str) -> list[Term]:
    return [term for _, term in read("rules.md", text, PAPERS)]


def test_an_entry_has_all_its_parts() -> None:
    see, also = ("list", "rule set (all, or any)"), ("rules",)
    source = "Thm 1, an old paper; one's own"
    assert read_one(ENTRY) == [Term("rule", "What holds of rows.", "More of it.", "a  ≤ b", source, see, also)]


def test_a_sentence_is_enough_and_entries_know_their_lines() -> None:
    found = list(read("rules.md", "# Title\n\n## a\n\nFirst.\n\n\n## b\n\nSecond.\n", PAPERS))
    assert found == [(3, Term("a", "First.")), (8, Term("b", "Second."))]
    assert read_one("") == read_one("# Title only\n") == []


@pytest.mark.parametrize(("change", "line", "message"), cases_beside(__file__))
def test_what_is_wrong_is_told_with_file_and_line(change: tuple[str, str], line: int, message: str) -> None:
    text = ENTRY.replace(*change)
    assert text != ENTRY
    with pytest.raises(ProseError, match=re.escape(f"rules.md, line {line}: {message or 'an entry is'}")):
        read_one(text)


def test_no_name_has_two_entries_not_even_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "papers.md").write_text("# Papers\n\n[OLD]: an old paper\n[OWN]: one's own\n", encoding="utf-8")
    for file in ("one.md", "two.md"):
        (tmp_path / file).write_text(ENTRY, encoding="utf-8")
    assert list(read_files(tmp_path, ("one.md",))) == ["rule"]
    with pytest.raises(ProseError, match=r"^two\.md, line 3: there is an entry 'rule' already$"):
        read_files(tmp_path, ("one.md", "two.md"))


# every argument of what is public has a word of its own in the docstring ----------------------------------------------
SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
MADE_BY_OTHERS = {"Sweep"}
"""Nobody calls these; `rulelab.sweep` does."""


def told(doc: str) -> set[str]:
    """The names under "Parameters" and "Attributes"."""
    heads = [
        line.split(" : ")[0]
        for section in SECTION.findall(inspect.cleandoc(doc))
        for line in section.splitlines()
        if line and not line.startswith(" ")
    ]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def called() -> dict[str, tuple[Any, list[str]]]:
    """By name what is public and called, and its docstrings, inherited ones too: functions, classes, their methods."""
    out = {}
    for name, value in public().items():
        if (
            name in MADE_BY_OTHERS
            or not callable(value)
            or (isinstance(value, type) and issubclass(value, BaseException | enum.Enum))
        ):
            continue
        parts = value.__mro__[:-1] if isinstance(value, type) else (value,)
        out[name] = value, [part.__doc__ or "" for part in parts]
        for own in dir(value) if isinstance(value, type) else ():
            method = inspect.getattr_static(value, own)
            method = getattr(method, "__func__", method)
            if inspect.isfunction(method) and method.__module__.startswith("rulelab") and is_public(own):
                out[method.__qualname__] = method, [inspect.getdoc(getattr(value, own)) or ""]
    return out


CALLED = called()


@pytest.mark.parametrize("name", CALLED)
def test_every_argument_is_told(name: str) -> None:
    value, docs = CALLED[name]
    arguments = {each for each in inspect.signature(value).parameters if is_public(each)}
    assert arguments - {"self", "cls"} <= set().union(*map(told, docs))


@pytest.mark.parametrize("name", [name for name in rl.views.__all__ if isinstance(getattr(rl.views, name), type)])
def test_every_parameter_of_a_view_is_told(name: str) -> None:
    """By its own words, or in the documentation of its class."""
    view = getattr(rl.views, name)
    if not issubclass(view, param.Parameterized):
        pytest.skip("it has none")
    classes = [each for each in view.__mro__ if each.__module__.startswith("rulelab")]
    told = "\n".join(inspect.cleandoc(each.__doc__ or "") for each in classes)
    own = {
        key: each.doc
        for key, each in view.param.objects("existing").items()
        if each.owner is not None and each.owner.__module__.startswith("rulelab") and key != "name" and is_public(key)
    }
    untold = [key for key, doc in own.items() if not doc and not re.search(rf"^(\w+, )*{key}(, \w+)* : ", told, re.M)]
    assert untold == []


def test_what_is_not_told_is_found() -> None:
    def some(a: int, b: int) -> None:
        """Do some.

        Parameters
        ----------
        a : int
            b : not this one.

        Returns
        -------
        b : int
        """

    assert told(some.__doc__ or "") == {"a"}


# what others rely on changes only where somebody has read it ----------------------------------------------------------
def test_public_names_options_parameters_and_fields_are_those_that_were_reviewed() -> None:
    listed, now = LISTED.read_text(encoding="utf-8").splitlines(), lines()
    gone, new = sorted(set(listed) - set(now)), sorted(set(now) - set(listed))
    assert not gone, "gone: rulelab.lazy names another way for each, then python tests/public_names.py"
    assert not new, "new: read them, then python tests/public_names.py"
    assert listed == now


# the examples in the docstrings of what is public run, and give what they say -----------------------------------------
NAMES = public()


def examples(name: str) -> list[doctest.DocTest]:
    """Those of a name, and of the methods and properties of a class."""
    value: Any = NAMES[name]
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [test for test in finder.find(value, f"rl.{name}", globs={"rl": rl}) if test.examples]


EXAMPLES = {test.name: test for name in NAMES for test in examples(name)}


def test_there_are_some() -> None:
    assert {"rl.fit", "rl.near_optimal", "rl.search"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(EXAMPLES[name], out=told.append)
    assert result.attempted
    assert not result.failed, "".join(told)

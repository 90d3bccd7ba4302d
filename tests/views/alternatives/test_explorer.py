"""What the builder and the file for the browser are given: the same numbers, true sentences, escaped names."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import pytest
from command_line import run
from good_rows import agreement, ranges_hold
from live import button, field, html, only, seen, soup, status
from patience import wait_until
from random_problems import explained
from test_alternatives import searched
from test_near_optimal import medium_problem

import rulelab as rl
from rulelab.rule_list.near_optimal.prefix_graph import PrefixGraph
from rulelab.views.alternatives.counting import count_all, explorer_of_sets
from rulelab.views.alternatives.fairer import Fairer
from rulelab.views.alternatives.good import find
from rulelab.views.alternatives.offline import Labels, condition_names, explorer, guarantee, packed
from rulelab.views.alternatives.parts import Builder, GoodList
from rulelab.views.alternatives.view import BUILD, COUNT, FAIRER, MADE_OF, TOGETHER, AlternativesView
from rulelab.views.live.job import Progress
from rulelab.views.live.prepared import Prepared
from rulelab.views.live.wording import count

HOSTILE = '</script><script>alert("x")</script>'
LABELS = Labels(HOSTILE, '"t"', "<b>no</b>", "yes'")


def enumerated(problem: rl.Problem, gap: float = 0.05, **limits: Any) -> rl.NearOptimalSearch:
    search = rl.NearOptimalSearch(problem, 0.02, gap, **limits)
    rl.solve(search)
    return search


@pytest.fixture(scope="module")
def search() -> rl.NearOptimalSearch:
    return enumerated(medium_problem())


def unpacked(said: dict[str, Any]) -> list[np.ndarray]:
    """The arrays again, as the browser reads them."""
    octets, at, out = zlib.decompress(base64.b64decode(said["packed"])), 0, []
    for n in (said["nodes"], said["nodes"], *[said["edges"]] * 3, said["nodes"], said["nodes"]):
        if not said["whole"] and len(out) > 4:
            out.append(np.frombuffer(octets, "<f8", n, at))
            at += 8 * n
            continue
        planes = np.frombuffer(octets, np.uint8, 4 * n, at).reshape(4, n)
        out.append(np.ascontiguousarray(planes.T).view("<i4").ravel())
        at += 4 * n
    assert at == len(octets)
    return out


def floating() -> rl.Problem:
    A = np.random.default_rng(4).random((40, 4)) < 0.5
    y = np.random.default_rng(5).random(40) < 0.5
    return rl.Problem.from_arrays(A, y, sample_weight=0.3 * np.random.default_rng(6).integers(1000, 2000, 40))


@pytest.mark.parametrize("problem", [medium_problem(), floating()], ids=["whole", "weights"])
def test_the_browser_gets_the_graph(problem: rl.Problem) -> None:
    search = enumerated(problem)
    graph = search.prefixes()
    said = packed(search.result(), graph, LABELS)
    count, model, to, rule, label, positives, negatives = unpacked(said)
    np.testing.assert_array_equal(count, np.diff(graph.first))
    np.testing.assert_array_equal(model, graph.model)
    np.testing.assert_array_equal(to.cumsum(), graph.to)
    np.testing.assert_array_equal(np.array(said["rules"])[rule], graph.rule)
    np.testing.assert_array_equal(label, graph.positive)
    np.testing.assert_array_equal([positives, negatives], graph.left)
    assert said["whole"] is (problem.positives.dtype.kind == "i")
    assert said["names"] == [condition_names(problem)[j] for j in said["rules"]]


def test_what_is_said_is_true_and_what_is_not_known_is_said(search: rl.NearOptimalSearch) -> None:
    graph = search.prefixes()
    said = guarantee(graph, False)
    bound = float(re.search(r"costs at most (0\.\d+);", said[0])[1])
    assert graph.threshold <= bound + 1e-12 < graph.beyond
    assert said[0].startswith(f"Each of these {graph.n_lists} lists costs at most")
    assert said[1] == (
        "These are all such lists over these 12 antecedents: every rule decides some training row, and predicts the "
        "majority of those that it decides."
    )
    assert "with at most 2 rules: every" in guarantee(enumerated(medium_problem(), max_length=2).prefixes(), False)[1]
    assert "hold for the same training rows count as one." in guarantee(graph, True)[1]
    cut = enumerated(medium_problem(), limit=7).prefixes()
    said = " ".join(guarantee(cut, False))
    assert f"all that cost less than {cut.covered:.5f} are here, and of those that cost more some are missing" in said
    assert "These are all" not in said
    few = search.prefixes(100)
    said = " ".join(guarantee(few, False, search.result().threshold))
    assert "These are all such lists" in said
    assert "were found too, but are too many to choose from here" in said
    assert "Weights were rounded" in guarantee(replace(few, exact=False), False)[-1]


def scripts(html: str) -> list[tuple[dict[str, str], str]]:
    """The attributes and the text of each."""
    return [(each.attrs, each.string or "") for each in soup(html).find_all("script")]


def asks_for_nothing(script: str, text: str) -> None:
    page = soup(text)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = page.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    assert page.find_all(lambda tag: tag.has_attr("src") or tag.has_attr("href")) == []
    assert "http" not in text.replace("http-equiv", "")
    assert text.count("<script") == len(scripts(text))
    assert "&lt;/script&gt;&lt;script&gt;alert(" in text


def hostile_page() -> tuple[str, PrefixGraph]:
    problem = medium_problem()
    search = enumerated(replace(problem, names=tuple(f"{HOSTILE}{j}" for j in range(problem.n_antecedents))))
    graph = search.prefixes()
    return explorer(search.result(), graph, LABELS), graph


def test_the_file_asks_for_nothing_and_escapes_all() -> None:
    text, graph = hostile_page()
    (kind, data), (_, script) = scripts(text)
    assert kind["type"] == "application/json"
    assert json.loads(data)["names"][0] == f"{HOSTILE}{graph.rule.min()}"
    asks_for_nothing(script, text)
    assert "<b>no" not in text


@pytest.mark.parametrize("model", ["list", "set"])
def test_the_command_writes_the_file(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({HOSTILE: ["a", "b"] * 30, 'q"': list("xyz") * 20, "out": ["no", "yes", "yes"] * 20})
    frame.to_csv(tmp_path / "data.csv", index=False)
    output, options = tmp_path / "explorer.html", ["--max-conditions", 1, "--regularization", 0.02, "--within", 0.1]
    if model == "set":
        options = ["--model", "rule-set", "--max-complexity", 4, "--ratio", 0.5]
    command = ["near", tmp_path / "data.csv", "--target", "out", *options, "-o", output]
    status, out, err = run(capsys, *command)
    assert status == 0, err
    found = re.search(rf"(\d+) models? \((\d+) {model}s?\)", out)
    text = output.read_text(encoding="utf-8")
    assert HOSTILE not in text
    if model == "set":
        assert text.count('<td class="text">') == int(found[1])
    else:
        said = json.loads(scripts(text)[0][1])
        assert said["models"] == int(found[1])
        first = "This one" if found[2] == "1" else f"Each of these {found[2]} lists costs"
        assert said["guarantee"][0].startswith(first)
        assert f"{HOSTILE} = a" in said["names"] or f"{HOSTILE} = b" in said["names"]
        assert said["labels"] == ["no", "yes"]
    status, _, err = run(capsys, *command, "--time-limit", 0)
    assert status == 1
    known = f"no page is written: no {model} is known to be near the optimum yet"
    assert f"{known} (time limit reached); raise --time-limit" in err


def test_the_file_of_rule_sets_asks_for_nothing_and_escapes_all() -> None:
    problem = rl.Problem.from_arrays(*explained(1, 80, 4, 0.2), names=[f"{HOSTILE}{j}" for j in range(4)])
    search = rl.engines.NearOptimalRuleSetSearch(problem, ratio=1.0, max_complexity=6, max_conditions=2)
    rl.solve(search)
    result = search.result()
    text = explorer_of_sets(result, search.advance(1), LABELS)
    ((_, script),) = scripts(text)
    asks_for_nothing(script, text)
    assert f"Certified: exactly {result.n_sets} rule sets of rules of at most 2 conditions are within" in text
    rows = re.findall(
        r'<th scope="row">(\d+)</th><td>([0-9.]+)</td><td>(\d+)</td><td>([0-9.]+)</td><td>(\d+)</td>', text
    )
    assert result.count > 3
    assert [int(row[0]) for row in rows] == list(range(1, result.count + 1))
    assert [int(row[2]) for row in rows] == [len(model.rules) for model in result.models]
    right = [100 * (1 - model.errors / model.weight) for model in result.models]
    assert [float(row[1]) for row in rows] == pytest.approx(right, abs=0.006)
    above = [100 * (objective / result.optimum - 1) for objective in result.objectives]
    assert [float(row[3]) for row in rows] == pytest.approx(above, abs=0.0006)
    assert [int(row[4]) for row in rows] == result.multiplicity.tolist()
    assert "How far the sets agree" in text


def test_nothing_is_said_in_per_cent_of_an_optimum_of_nothing() -> None:
    A = np.array(list(product((0, 1), repeat=3)) * 5, dtype=bool)
    search = rl.engines.NearOptimalRuleSetSearch(rl.Problem.from_arrays(A, A[:, 0]), within=10, max_complexity=4)
    rl.solve(search)
    result = search.result()
    assert (result.optimum, result.complete) == (0, True)
    assert result.gaps.max() > 0
    text = explorer_of_sets(result, search.advance(1), LABELS)
    assert "are of an objective of at most 10." in text
    assert "% of the optimum" not in text
    assert '<th scope="col">above</th>' in text
    for gap in result.gaps:
        assert f"<td>{gap:.10g}</td>" in text
    part = rl.engines.NearOptimalRuleSetSearch(rl.Problem.from_arrays(A, A[:, 0]), within=10, max_complexity=4, limit=2)
    rl.solve(part)
    text = explorer_of_sets(part.result(), part.advance(1), LABELS)
    assert f"Not complete: at least {part.result().n_sets} rule set" in text
    assert f"every one of at most {part.result().covered:.10g} is among them" in text
    assert "How far the sets agree" not in text


# the count of all near-optimal lists on the page, against the lists one by one ----------------------------------------
@pytest.fixture
def view(dataset: rl.datasets.Dataset, show: Any) -> AlternativesView:
    made = show(searched(dataset), dataset)
    made.strip.open = COUNT
    return made


def counted(view: AlternativesView) -> Any:
    view.counting.count()
    wait_until(lambda: not view.counting.refresh())
    return view.counting


def test_the_count_is_that_of_the_lists_and_ranges_hold_all_of_them(
    view: AlternativesView, dataset: rl.datasets.Dataset
) -> None:
    counting = view.counting
    assert counting.total is None
    assert "“Count all lists” counts" in html(counting)
    view.param.update(attribute="sex", criterion="demographic_parity")
    counted(view)
    found = view.found
    assert counting.total.result.n_lists == found.result.n_lists
    many = count(found.result.n_lists)
    assert status(counting).phase.startswith(f"certified: exactly {many} rule lists of any length")
    problem = found.result.problem
    pattern = problem.row_pattern

    def says(lists: list[tuple[int, ...]]) -> np.ndarray:
        models = (rl.RuleList.from_problem(problem, one) for one in lists)
        return np.array([model.predicts_positive(problem.matrix()) for model in models])[:, pattern]

    ranges_hold(counting.ranges, says(found.result.lists), dataset)
    columns = counting.ranges.columns
    for chosen in islice(counting.total.result.lists(), 0, None, 20):
        left, decided = np.ones(len(dataset.X), dtype=bool), dict.fromkeys(columns.index, 0.0)
        for j in chosen:
            hit = left & problem.matrix()[pattern, j].astype(bool)
            decided[problem.conditions[j][0].column] += hit.mean()
            left &= ~hit
        for name, share in decided.items():
            assert columns.loc[name, "least"] - 1e-12 <= share <= columns.loc[name, "most"] + 1e-12
    every = list(counting.total.result.lists())
    assert len(every) == counting.total.result.n_lists
    assert counting.ranges.people["rows"].to_numpy() == pytest.approx(agreement(says(every).mean(axis=0)))
    table = pd.read_csv(counting.lists_csv())
    assert table["lists"].sum() == found.result.n_lists
    for part in (
        "Lists by number of rules",
        "How far the lists agree",
        "Use of each column",
        "Differences between groups",
    ):
        assert part in html(counting)
    assert "<b>u" not in html(counting)


def test_another_attribute_counts_nothing_again_and_a_new_find_forgets_the_count(view: AlternativesView) -> None:
    counting = counted(view)
    total = counting.total
    assert counting.ranges.gaps is None
    view.attribute = "sex"
    wait_until(lambda: not counting.refresh())
    assert counting.total is total
    assert len(counting.ranges.gaps) == 1  # b has fewer than 30 positives
    view.criterion = "equalized_odds"
    wait_until(lambda: not counting.refresh())
    assert "difference in true positive rate (TPR) or false positive rate (FPR), points" in html(counting)
    view.distance = 0.1
    wait_until(lambda: not view.refresh())
    assert counting.total is None
    assert status(counting).phase == ""
    assert counted(view).total.result.n_lists == view.found.result.n_lists  # type: ignore[union-attr]


def test_the_tab_shows_one_thing_at_a_time(view: AlternativesView) -> None:
    for name in view.strip.names:
        view.strip.open = name
        shown = {type(part) for part in seen(view)} | {id(part) for part in seen(view)}
        parts = {
            TOGETHER: id(only(view, GoodList)),
            MADE_OF: id(button(view, "Antecedents (CSV)")),
            FAIRER: id(field(view.fairer, "Groups by")),
            BUILD: Builder,
            COUNT: id(pn.panel(view.counting)),
        }
        assert [each for each, part in parts.items() if part in shown] == [name]
        assert pn.panel(view.editor) in seen(view), "the chosen model stands beside all of them"


def test_fairer_ones_are_known_while_they_are_found_and_a_longer_search_goes_on(view: AlternativesView) -> None:
    known = Fairer(view.found, "sex", "equal_opportunity")
    done = [known.look(0.1, Progress()) or known.search.work for _ in range(2)]
    assert known.points
    assert done[0] < done[1] or not known.open


def test_a_count_cut_short_says_what_is_certain(dataset: rl.datasets.Dataset) -> None:
    found = find(lambda report: Prepared(searched(dataset)), Progress(), 0.5, 3, 60.0)
    total = count_all(found, 60.0, Progress())
    assert total.result.complete
    stopped = Progress()
    stopped.cancel()
    for seconds, progress, why in ((1e-9, Progress(), "the time limit"), (60.0, stopped, "it was stopped")):
        part = count_all(found, seconds, progress)
        if not part.result.complete:  # else it was done before it could be stopped
            assert part.counted.startswith(f"not complete ({why}): at least ")
        assert part.result.n_lists <= total.result.n_lists

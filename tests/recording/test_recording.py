"""Recordings: what a search was at any moment, from one file, without the engine."""

import base64
import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from test_prefixes import KINDS, random_problem

import rulelab as rl
from rulelab.recording import files


def hard_problem(seed, n=80, m=8):
    """Labels that follow from nothing, for trees of some size."""
    rng = np.random.default_rng(seed)
    return rl.Problem.from_arrays(rng.random((n, m)) < 0.5, rng.random(n) < 0.5)


@pytest.fixture(params=[*KINDS, "rule set"])
def make(request):
    return {**KINDS, "rule set": lambda p: rl.RuleSetSearch(p, 6)}[request.param]


def recorded(search, work=1, **options):
    recording = rl.Recording(search, **options)
    trees = {}
    for snapshot in recording.steps(work_per_step=work):
        if hasattr(search, "tree") and len(search.tree()):
            trees[snapshot.step] = search.tree(10**6)
    return recording, trees


def same(one, other):
    """But for the model, figures of the engine's own, and what a kernel that was found faster takes."""
    plain = {"incumbent": None, "detail": {}, "memory_bytes": 0}
    return replace(one, **plain) == replace(other, **plain)


def test_a_file_gives_the_run_again(make, tmp_path):
    recording, _ = recorded(make(random_problem(1)))
    recording.save(tmp_path / "run.rulelab")
    again = rl.Recording.load(tmp_path / "run.rulelab")
    assert (again.family, len(again.snapshots)) == (recording.family, len(recording.snapshots))
    for one, other in zip(recording.snapshots, again.snapshots, strict=True):
        assert same(one, other)
        assert (one.incumbent is None) == (other.incumbent is None)
        assert one.incumbent is None or one.incumbent.model == other.incumbent.model
        assert one.incumbent is None or one.incumbent.objective == other.incumbent.objective
    pd.testing.assert_frame_equal(again.frame, recording.frame, check_dtype=False)
    assert again.snapshots[-1].status is rl.Status.OPTIMAL
    assert [path.name for path in tmp_path.iterdir()] == ["run.rulelab"]


def test_the_tree_is_that_of_the_moment(tmp_path):
    for kind in ("rule list", "corels", "falling"):
        recording, trees = recorded(KINDS[kind](hard_problem(2)))
        assert len(trees) > 3
        recording.save(tmp_path / "run")
        again = rl.Recording.load(tmp_path / "run")
        for step, was in trees.items():
            for tree in (recording.tree_at(step, 10**6), again.tree_at(step, 10**6)):
                assert tree["state"].value_counts().to_dict() == was["state"].value_counts().to_dict()
                assert tree["cut_by"].value_counts().to_dict() == was["cut_by"].value_counts().to_dict()
                assert sorted(tree["antecedent"]) == sorted(was["antecedent"])
                if kind != "rule list":  # in which a cheaper prefix can take the place of a stored one
                    assert sorted(tree["descendants"]) == sorted(was["descendants"])
        steps = recording.frame["step"].to_numpy()
        assert recording.tree_at(int(steps[-1]) + 5).equals(recording.tree_at(int(steps[-1])))


@pytest.mark.long
def test_few_snapshots_are_kept_of_a_long_run():
    problem = hard_problem(3, 100, 12)
    whole, _ = recorded(rl.RuleListSearch(problem, 0.015, beam_width=0))
    thin, _ = recorded(rl.RuleListSearch(problem, 0.015, beam_width=0), max_snapshots=12)
    assert len(whole.snapshots) > 40
    objectives = {each.incumbent.objective for each in whole.snapshots}
    assert {each.incumbent.objective for each in thin.snapshots} == objectives
    assert len(thin.snapshots) <= max(12, 3 * len(objectives)) + 1
    for end in (0, -1):
        assert same(replace(thin.snapshots[end], seconds=0), replace(whole.snapshots[end], seconds=0))
    for each in thin.snapshots[1:]:
        assert thin.tree_at(each.step).equals(whole.tree_at(each.step))


def test_a_large_tree_is_cut_to_its_largest_parts(tmp_path):
    search = rl.CorelsSearch(hard_problem(4, 100, 12), 0.015)
    recording, _ = recorded(search, work=50)
    whole = search.tree(10**6)
    assert len(whole) > 100
    recording.save(tmp_path / "run", max_nodes=40)
    part = rl.Recording.load(tmp_path / "run").tree_at(recording.snapshots[-1].step)
    assert len(part) == 40
    assert (part["parent"][1:] >= 0).all()
    assert part["antecedent"][:20].tolist() == search.tree(40)["antecedent"][:20].tolist()


def test_the_gap_over_the_run_is_a_figure():
    recording, _ = recorded(KINDS["rule list"](random_problem(5)))
    frame = recording.frame
    gap = frame["gap"].to_numpy() / frame["objective"][0]
    expected = (gap[:-1] * np.diff(frame["work"].to_numpy())).sum()
    assert recording.primal_dual_integral("work") == pytest.approx(expected)
    assert recording.primal_dual_integral() >= 0
    with pytest.raises(ValueError, match="'seconds' or 'work'"):
        recording.primal_dual_integral("steps")


def test_what_cannot_be_asked_is_refused(tmp_path):
    with pytest.raises(TypeError, match="must be a rulelab search"):
        rl.Recording(3)
    with pytest.raises(ValueError, match="at least 4"):
        rl.Recording(KINDS["corels"](random_problem(1)), max_snapshots=3)
    recording, _ = recorded(rl.RuleSetSearch(random_problem(1), 4))
    with pytest.raises(ValueError, match="no tree"):
        recording.tree_at(10**9)
    with pytest.raises(ValueError, match="nothing is kept of step 0"):
        recording.tree_at(0)
    recording.save(tmp_path / "run")
    again = rl.Recording.load(tmp_path / "run")
    with pytest.raises(ValueError, match="has no search"):
        next(again.steps())
    with pytest.raises(ValueError, match="cannot be added to"):
        again.observe(recording.snapshots[0])


def document(tmp_path):
    recording, _ = recorded(KINDS["falling"](random_problem(1)))
    recording.save(tmp_path / "run")
    return json.loads(gzip.decompress((tmp_path / "run").read_bytes()))


def refused(tmp_path, content):
    path = tmp_path / "bad"
    path.write_bytes(content if isinstance(content, bytes) else gzip.compress(json.dumps(content).encode()))
    with pytest.raises(rl.errors.RecordingError) as error:
        rl.Recording.load(path)
    return str(error.value)


@pytest.mark.long
def test_every_entry_is_checked(tmp_path):
    """Each one taken away, and made into something else: read as it is, or refused, and never anything else."""
    good = document(tmp_path)

    def places(value, at=()):
        yield at
        if isinstance(value, dict):
            for key in value:
                yield from places(value[key], (*at, key))
        elif isinstance(value, list):
            for k in range(min(3, len(value))):
                yield from places(value[k], (*at, k))

    tried, whole = 0, json.dumps(good)
    for at in places(good):
        for other in (None, -1, 10**30, "x", [], {}, [[]], 1e300, True, "////"):
            mutant = json.loads(whole)
            holder = mutant
            for key in at[:-1]:
                holder = holder[key]
            if at:
                holder[at[-1]] = other
            else:
                mutant = other
            path = tmp_path / "mutant"
            path.write_bytes(gzip.compress(json.dumps(mutant).encode(), 1))
            tried += 1
            try:
                read = rl.Recording.load(path)
                for snapshot in read.snapshots:
                    assert len(read.tree_at(snapshot.step)) >= 0
            except rl.errors.RecordingError:
                pass
            except ValueError as error:
                assert "no tree" in str(error) or "nothing is kept" in str(error)  # noqa: PT017
    assert tried > 300


@pytest.mark.long
def test_damaged_and_hostile_files_are_refused(tmp_path):
    good = document(tmp_path)
    whole = (tmp_path / "run").read_bytes()
    assert "damaged" in refused(tmp_path, b"no recording")
    assert "damaged" in refused(tmp_path, whole[100:])
    assert "cut short" in refused(tmp_path, whole[:-20])
    assert "another kind" in refused(tmp_path, {**good, "format": "x"})
    assert "version" in refused(tmp_path, {**good, "version": 99})
    assert "lacks 'snapshots'" in refused(tmp_path, {k: v for k, v in good.items() if k != "snapshots"})
    assert "larger than any" in refused(tmp_path, gzip.compress(bytes(files.LARGEST_TEXT + 2), 9))
    circle = json.loads(json.dumps(good))
    n = len(base64.b64decode(circle["tree"]["parent"])) // 4
    circle["tree"]["parent"] = base64.b64encode(np.arange(1, n + 1).astype("<i4").tobytes()).decode()
    assert "do not fit" in refused(tmp_path, circle)
    circle["tree"]["parent"] = base64.b64encode(((np.arange(n) + 1) % n).astype("<i4").tobytes()).decode()
    assert "do not fit" in refused(tmp_path, circle), "no prefix stands below itself"

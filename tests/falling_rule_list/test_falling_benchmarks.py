"""The benchmarks of falling rule lists run, and their curves are measured right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from _roc import area, hull, largest_lead

from rulelab.cli import commands as cli


def test_hull_and_area():
    assert hull(np.zeros((0, 2))).tolist() == [[0, 0], [1, 1]]
    points = np.array([[0.2, 0.6], [0.1, 0.2], [0.5, 0.8], [0.6, 0.7]])
    assert hull(points).tolist() == [[0, 0], [0.2, 0.6], [0.5, 0.8], [1, 1]]
    assert area(points) == pytest.approx(0.2 * 0.3 + 0.3 * 0.7 + 0.5 * 0.9)
    assert area(np.array([[0.0, 1.0]])) == 1
    assert area(np.array([[0.9, 0.1]])) == 0.5
    assert largest_lead(points[:0], points) == pytest.approx(0.4)
    assert largest_lead(points, points) == 0


@pytest.mark.long
def test_roc(shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    figures = tmp_path / "roc.json"
    options = ["--weights", "3", "7", "--splits", "2", "--trees", "2", "--iterations", "30", "--rows", "2000"]
    assert cli.main(["bench", "falling-roc", *options, "--json", str(figures)]) == 0
    rows = json.loads(figures.read_text())["rows"]
    assert [row["w"] for row in rows if row["method"] == "falling"] == [3, 7]
    assert {row["method"] for row in rows} >= {"softly falling", "CART", "random forest", "logistic regression"}
    assert all(row["test TPR"] >= row["test FPR"] for row in rows)
    assert "the area of 'softly falling' is within" in capsys.readouterr().out


@pytest.mark.long
def test_monte_carlo(shared: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--weights", "1", "--iterations", "60", "--repeats", "1"]
    assert cli.main(["bench", "falling-monte-carlo", *options]) == 0
    assert "0.1069681   0.1069681" in capsys.readouterr().out

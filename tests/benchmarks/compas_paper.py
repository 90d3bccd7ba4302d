"""COMPAS as in the CORELS paper: accuracy of feature set A by 10-fold cross-validation, TPR and FPR by race."""

from __future__ import annotations

import sys
from dataclasses import replace

import pandas as pd
from _measure import Table, parser, use_shared_data

import rulelab as rl
from rulelab.datasets import Dataset

ROWS = 6907
PAPER = {"rule_list": (0.665, 0.018), "compas_score": (0.660, 0.019)}
"""Mean and standard deviation over the test folds: Angelino et al., JMLR 18(234), 2018, section 6.4."""

PROPUBLICA = {"African-American": (0.4485, 0.2799), "Caucasian": (0.2345, 0.4772)}
"""False positive and false negative rate of the score, in all rows: Larson et al., ProPublica, 2016."""

BASELINES = ("cart", "random_forest", "logistic_regression", "adaboost", "compas_score")
RACES = ("African-American", "Caucasian")

ACCURACIES = (
    "method:-20 | lambda:7g | folds:5d | proven:6d | test:6.3f | sd:6.3f | paper:6.3f | sd :6.3f | train:6.3f | "
    "rules:6.1f | complexity:10.1f | s/fit:6.2f"
)
RATES = "method:-20 | race:-17 | rows:5d | TPR:6.3f | interval:-15 | FPR:6.3f | interval :-15"
NOTES = f"""
Rows: the {ROWS} with days_b_screening_arrest, one way to reach the paper's number. Antecedents: one or two of the 17
categories of its table 7, support within .005 and .995 of the training rows; of those on the same rows one is kept.
Folds: stratified; the paper does not say how its own were dealt. Our mean for lambda .005 is higher: its list of figure
4 ({{figure_4:.3f}} of all these rows right, objective {{objective:.4f}}) is not the optimum here, so its rows
or categories are not quite these. The score's accuracy is the paper's. Rates by race are shown in the paper only as a
figure (7). Baselines have scikit-learn's defaults, the paper's are R's."""


def main(argv: list[str]) -> int:
    """Print both tables; status 1 when a list is not certified or the mean is not within a deviation of the paper's."""
    options = parser("compas-paper", __doc__ or "", repeats=1)
    options.add_argument("--all", action="store_true", help="with the paper's other regularizations, .01 and .02")
    options.add_argument("--seed", type=int, default=0, help="of the folds (%(default)s)")
    args = options.parse_args(argv)
    use_shared_data()
    try:
        data = feature_set_a(rl.datasets.load("compas", download=False))
    except rl.datasets.DatasetError as error:
        print(error, file=sys.stderr)
        return 1
    grid = {
        "regularization": [0.02, 0.01, 0.005] if args.all else [0.005],
        "min_support": [0.005],
        "max_support": [0.995],
    }
    sweep = rl.sweep(data, grid=grid, cv=10, sensitive="race", baselines=BASELINES, random_state=args.seed)
    sweep.wait()
    table = _accuracies(sweep)
    print()
    _rates(sweep, data)
    correct = float((figure_4(data) == (data.y == 1)).mean())
    print(NOTES.format(figure_4=correct, objective=1 - correct + 3 * 0.005))
    table.save(args.json)
    ours = sweep.points().query("family == 'rule_list'").iloc[-1]
    mean, deviation = PAPER["rule_list"]
    return int(ours["proven"] < ours["folds"] or abs(ours["accuracy"] - mean) > deviation)


def feature_set_a(compas: Dataset) -> Dataset:
    """The 17 categories of table 7 on the rows without missing data."""
    assert compas.extra is not None
    assert compas.sensitive is not None
    kept = compas.extra["days_b_screening_arrest"].notna().to_numpy()
    X, y, sensitive, extra = (
        table[kept].reset_index(drop=True) for table in (compas.X, compas.y, compas.sensitive, compas.extra)
    )
    juvenile = X["juv_fel_count"] + X["juv_misd_count"] + X["juv_other_count"]
    features = {
        "sex = male": X["sex"] == "Male",
        "sex = female": X["sex"] == "Female",
        **{
            f"age = {low}-{high}": X["age"].between(low, high) for low, high in ((18, 20), (21, 22), (23, 25), (26, 45))
        },
        "age > 45": X["age"] > 45,
        "priors = 0": X["priors_count"] == 0,
        "priors = 1": X["priors_count"] == 1,
        "priors = 2-3": X["priors_count"].between(2, 3),
        "priors > 3": X["priors_count"] > 3,
    }
    for name, count in (("felonies", X["juv_fel_count"]), ("misdemeanors", X["juv_misd_count"]), ("crimes", juvenile)):
        features |= {f"juvenile {name} > 0": count > 0, f"juvenile {name} = 0": count == 0}
    return replace(
        compas, X=pd.DataFrame(features), y=y, sensitive=sensitive, extra=extra, name="compas, feature set A"
    )


def figure_4(data: Dataset) -> pd.Series:
    """What the paper's list for lambda .005 predicts: three rules for the positive class."""
    X = data.X
    young = X["age = 18-20"] & X["sex = male"]
    return young | (X["age = 21-22"] & X["priors = 2-3"]) | X["priors > 3"]


def _accuracies(sweep: rl.Sweep) -> Table:
    table, trained = Table(ACCURACIES), sweep.points("train")["accuracy"]
    deviations = sweep.frame.groupby("point")["test_accuracy"].std()
    for row, train in zip(sweep.points().to_dict(orient="records"), trained, strict=True):
        of_paper = row["regularization"] == 0.005 or row["family"] == "compas_score"
        mean, deviation = PAPER[row["family"]] if of_paper else (None, None)
        figures = [None if pd.isna(row[name]) else row[name] for name in ("rules", "complexity")]
        table.add(
            row["family"], None if pd.isna(row["regularization"]) else row["regularization"], row["folds"],
            row["proven"], row["accuracy"], deviations[row["point"]], mean, deviation, train, *figures, row["seconds"],
        )  # fmt: skip
    return table


def _rates(sweep: rl.Sweep, data: Dataset) -> None:
    """Rates of the lists and of the score on the test rows of all folds together."""
    table = Table(RATES)
    points = sweep.points()
    for row in points[points["family"].isin(PAPER)].itertuples():
        for race, rates in sweep.rates(row.point).loc[list(RACES)].iterrows():
            spans = [f"[{rates[f'{name}_low']:.3f}, {rates[f'{name}_high']:.3f}]" for name in _NAMES]
            method = row.family if pd.isna(row.regularization) else f"{row.family} {row.regularization:g}"
            table.add(method, race, rates.weight, rates[_NAMES[0]], spans[0], rates[_NAMES[1]], spans[1])
    for race, (false_positive, false_negative) in PROPUBLICA.items():
        table.add("score, ProPublica", race, None, 1 - false_negative, "", false_positive, "")


_NAMES = ("true_positive_rate", "false_positive_rate")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

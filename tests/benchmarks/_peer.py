"""Fits by a peer, in an environment of its own: reads matrices, writes what came out as lines of JSON."""

import importlib
import json
import os
import resource
import signal
import sys
import time

import numpy as np


def gosdt(A, y, penalty, limit):
    """GOSDT's rule lists: the same models and the same objective, a leaf more than rules."""
    import pandas as pd
    from gosdt import GOSDTClassifier

    columns = pd.DataFrame(A, columns=[f"c{j}" for j in range(A.shape[1])])
    model = GOSDTClassifier(
        regularization=penalty, rule_list=True, time_limit=limit, allow_small_reg=True, balance=False
    ).fit(columns, y)
    leaves = str(model.trees_[0].tree).count("prediction")
    return model.predict(columns), leaves - 1, "CONVERGED" in str(model.result_.status)


def streed(A, y, penalty, limit):
    """STreeD's optimal trees of depth 4: a branching node costs what a rule costs."""
    from pystreed import STreeDClassifier

    task = "cost-complex-accuracy"
    model = STreeDClassifier(task, max_depth=4, cost_complexity=penalty, time_limit=limit).fit(A, y)
    return model.predict(A), model.get_n_leaves() - 1, bool(model.fit_result.is_optimal())


def tree(A, y, penalty, limit):
    """The certified trees of imodels, of any depth: a leaf more costs what a rule costs."""
    from imodels import FastSmallTreeClassifier

    model = FastSmallTreeClassifier(regularization=penalty, time_limit=limit, memory_limit=MOST_BYTES).fit(A, y)
    return model.predict(A), model.n_leaves_ - 1, bool(model.optimal_)


def least(found, y, penalty):
    """Of answers with their number of rules, those of the least objective."""
    return min(found, key=lambda each: np.mean(each[0] != y) + penalty * each[1])


def greedy(A, y, penalty, limit):
    """The greedy rule list of imodels, of the depth with the least objective."""
    from imodels import GreedyRuleListClassifier

    X = A.astype(float)
    models = [GreedyRuleListClassifier(max_depth=depth).fit(X, y) for depth in range(1, 7)]
    return *least([(model.predict(X), len(model.rules_) - 1) for model in models], y, penalty), False


def cart(A, y, penalty, limit):
    """CART, pruned by the same penalty: a split costs what a rule costs."""
    from sklearn.tree import DecisionTreeClassifier

    alphas = (penalty, penalty / 2, penalty / 4)
    models = [DecisionTreeClassifier(ccp_alpha=alpha, random_state=0).fit(A, y) for alpha in alphas]
    return *least([(model.predict(A), model.get_n_leaves() - 1) for model in models], y, penalty), False


def ripper(A, y, penalty, limit):
    """RIPPER of wittgenstein: a rule may have several conditions."""
    import pandas as pd
    from wittgenstein import RIPPER

    frame = pd.DataFrame(A.astype(int), columns=[f"c{j}" for j in range(A.shape[1])])
    model = RIPPER(random_state=0)
    model.fit(frame.assign(y=y), class_feat="y", pos_class=1)
    return np.asarray(model.predict(frame), dtype=int), len(model.ruleset_), False


def brcg(A, y, penalty, limit):
    """BRCG of AIX360: column generation, then rounding; conditions cost next to nothing."""
    import pandas as pd
    from aix360.algorithms.rbm import BooleanRuleCG

    names = [(f"c{j}", operation, "") for operation in ("", "not") for j in range(A.shape[1])]
    columns = pd.MultiIndex.from_tuples(names, names=["feature", "operation", "value"])
    frame = pd.DataFrame(np.hstack([A, 1 - A]), columns=columns)
    model = BooleanRuleCG(lambda0=penalty, lambda1=1e-6, timeMax=limit, silent=True)
    model.fit(frame, y)
    return model.predict(frame), int((model.w > 0.5).sum()), False


def fastsrs(A, y, penalty, limit):
    """FastSRS: rule sets by simulated annealing over mined rules; no two runs are alike."""
    from fastsrs import ORS, predict_MRS

    names, table = [f"c{j}_{value}" for value in (1, 0) for j in range(A.shape[1])], np.hstack([A, 1 - A])
    model = ORS(table, y, names, "fpgrowth")
    model.set_parameters(c1=1e-6, c2=penalty, c3=1e-6)
    model.set_fixed_bounds()
    model.generate_rules(5, 2, 2000, method="fpgrowth", criteria="precision")
    found, _ = model.train(500, 0.25, False)
    return predict_MRS(found, table), len(found), False


def praxis(A, y, penalty, limit):
    """PRAXIS's trees of depth 4 near the best one that it finds, counted; a leaf costs what a rule costs."""
    from praxis import PRAXIS

    model = PRAXIS()
    model.fit(A.astype(np.uint8), y, lambda_reg=penalty, depth_budget=4, rashomon_mult=WITHIN)
    count, least = model.count_trees(), model.get_min_objective()
    best = next(k for k in range(count) if model.get_tree_objective(k)[0] == least)
    return model.get_predictions(best, A.astype(np.uint8)), len(model.get_tree_paths(best)[0]) - 1, f"{count:,} trees"


WITHIN = 0.05
"""What is counted is at most so far above the best, as a share of its objective."""
MOST_BYTES = 4_000_000_000
ANSWERS = os.dup(1)
PATIENCE = 10
"""Times its limit after which a fit that does not mind it is ended."""
COMPILED = ("tree",)
"""What is compiled when it first fits, as ours is: both before the clock runs."""
METHODS = {each.__name__: each for each in (gosdt, streed, tree, brcg, fastsrs, ripper, greedy, cart, praxis)}
MODULES = {"gosdt": ("pandas", "gosdt"), "streed": ("pystreed",), "tree": ("imodels",), "greedy": ("imodels",)} | {
    "brcg": ("pandas", "aix360.algorithms.rbm"), "fastsrs": ("fastsrs",), "ripper": ("pandas", "wittgenstein"),
    "cart": ("sklearn.tree",), "praxis": ("praxis",),
}  # fmt: skip
"""What is imported before the clock runs."""


def memory(what):
    """Megabytes of this process: VmRSS now, or VmHWM at most; the limits of resource are those of the parent, too."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(what))


def fit(method, A, y, penalty, limit):
    """Fit, and print one line of JSON."""
    held = memory("VmRSS")
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    answers, rules, known = METHODS[method](A, y, penalty, limit)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    errors = int((np.asarray(answers).astype(np.int64) != y).sum())
    said = known if isinstance(known, str) else "proven" if known else ""
    figures = {"errors": errors, "rules": int(rules), "said": said, "seconds": wall}
    figures |= {"user": after.ru_utime - before.ru_utime, "megabytes": max(0.0, memory("VmHWM") - held)}
    answer(figures)


def prepare(method, A, y, penalty, limit):
    """Import, and compile what is compiled: before the clock runs, and once for all fits."""
    for name in MODULES[method]:
        importlib.import_module(name)
    if method in COMPILED:
        METHODS[method](A[:50], y[:50], penalty, limit)


def in_fork(work, *arguments):
    """What is printed by a process of its own, which has an end however long the work would take."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            ended = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
            failed(f"no end after {PATIENCE} times its limit" if ended else "killed")
        return
    signal.alarm(PATIENCE * arguments[-1])
    if wrong := tried(work, *arguments):
        failed(wrong)
    os._exit(0)


def tried(work, *arguments):
    """What went wrong, if anything did."""
    try:
        work(*arguments)
    except Exception as error:  # noqa: BLE001 - of other packages, of which a row of the table tells
        return f"{type(error).__name__}: {error}"
    return ""


def failed(why):
    answer({"failed": why[:60]})


def answer(figures):
    os.write(ANSWERS, json.dumps(figures).encode() + b"\n")


def main(method, penalty, limit):
    """Fit the matrix of each file that is named on a line of standard input."""
    os.dup2(2, 1)  # what packages print is no answer
    penalty, limit, wrong = float(penalty), int(limit), None
    for line in sys.stdin:
        with np.load(line.strip()) as data:
            A, y = data["A"].astype(np.int64), data["y"].astype(np.int64)
        if wrong is None:
            wrong = tried(prepare, method, A, y, penalty, limit)
        if wrong:
            failed(wrong)
        else:
            in_fork(fit, method, A, y, penalty, limit)


if __name__ == "__main__":
    main(*sys.argv[1:])

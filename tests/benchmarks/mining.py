"""User CPU of mining conjunctions: 1000 random columns x 50 000 rows, 2 conditions, by default."""

import numpy as np
import pandas as pd
from _measure import Table, measure, parser

import rulelab as rl

COLUMNS = (
    "columns:7d | rows:7d | conditions:10d | min support:11g | candidates:11d | kept:9d | user s:8.3f | "
    "wall s:8.3f | runs:4d | MB:8.1f"
)


def main(argv: list[str]) -> int:
    """Print the table."""
    options = parser("mining", __doc__ or "")
    options.add_argument("--columns", type=int, default=1000)
    options.add_argument("--rows", type=int, default=50_000)
    options.add_argument("--conditions", type=int, default=2, choices=[1, 2, 3])
    options.add_argument("--min-support", type=float, action="append", metavar="X", help="default: 0.1")
    args = options.parse_args(argv)
    small = _random_frame(20, 500)
    rl.mine_antecedents(small, args.conditions)
    frame = _random_frame(args.columns, args.rows)
    table = Table(COLUMNS)
    for support in args.min_support or [0.1]:
        mined, user, wall, runs = measure(
            lambda support=support: rl.mine_antecedents(frame, args.conditions, support), args.repeats
        )
        size = mined.words.nbytes / 1e6
        table.add(
            args.columns, args.rows, args.conditions, support, mined.considered, len(mined), user, wall, runs, size
        )
    table.save(args.json)
    return 0


def _random_frame(n_columns: int, n_rows: int) -> pd.DataFrame:
    """Independent Boolean columns that hold on 2 % to 50 % of the rows."""
    rng = np.random.default_rng(0)
    share = rng.uniform(0.02, 0.5, size=n_columns)
    matrix = np.empty((n_columns, n_rows), dtype=bool)
    for j in range(n_columns):
        matrix[j] = rng.random(n_rows, dtype=np.float32) < share[j]
    return pd.DataFrame(matrix.T, columns=[f"x{j}" for j in range(n_columns)], copy=False)

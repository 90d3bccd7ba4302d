"""Counting tables of 10^5 to 10^8 rows in Parquet files under 40 conditions, beside the same group-by in DuckDB's SQL.

Each row is two processes: the statement written by hand; and from the file to a checked proof, where the table is first
looked at (one pass for each column, for the cuts), then counted (one pass), then searched.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from _measure import Table, parser

COLUMNS = (
    ("rows", 10, "d"),
    ("file MB", 8, ".0f"),
    ("kinds", 7, "d"),
    ("SQL user", 9, ".2f"),
    ("SQL wall", 9, ".2f"),
    ("SQL MB", 7, ".0f"),
    ("look user", 10, ".2f"),
    ("count user", 11, ".2f"),
    ("count wall", 11, ".2f"),
    ("prove user", 11, ".2f"),
    ("MB", 7, ".0f"),
    ("ratio", 6, ".2f"),
    ("status", 8, ""),
    ("valid", 6, ""),
)
_FEATURES = ("age", "priors", "income", "hours")
_MAKE = """
import duckdb, sys
rows, path = int(sys.argv[1]), sys.argv[2]
connection = duckdb.connect()
connection.execute("set memory_limit = '4GB'")
connection.execute("select setseed(0.5)")
connection.execute(f'''copy (select *, (random() < case when priors > 2 and age <= 30 then .8 when priors > 4 then .6
  when income <= 20 then .45 else .25 end)::int as y from (select 18 + floor(random() * 62)::int as age,
  floor(-ln(1 - random()) * 3)::int as priors, round(200 * random() * random())::int as income,
  floor(random() * 60)::int as hours, case when random() < .5 then 'f' else 'm' end as sex
  from range({rows}))) to '{path}' (format parquet)''')
"""
_USED = """
import json, resource, sys, time
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime, time.perf_counter(), usage.ru_maxrss / 1e3
"""
_SQL = (
    _USED
    + """
import duckdb
path, conditions = sys.argv[1], json.loads(sys.argv[2])
word = " + ".join(f"(({each})::bigint << {k})" for k, each in enumerate(conditions))
before = used()
connection = duckdb.connect()
connection.execute("set enable_progress_bar = false")
found = connection.execute(
    f"select {word} as word, y, sex, count(*) as n from read_parquet('{path}') group by word, y, sex").fetchnumpy()
after = used()
print(json.dumps([after[0] - before[0], after[1] - before[1], after[2], len(found["n"]), int(found["n"].sum())]))
"""
)
_OURS = (
    _USED
    + """
import rulelab as rl
path, groups = sys.argv[1], int(sys.argv[2])
small = rl.Problem.from_counts([[0, 1], [1, 0], [1, 1]], [9, 0, 1], [0, 9, 2])
search = rl.RuleListSearch(small, 0.01)
search.compile()
rl.verify(small, rl.solve(search).incumbent.model, search.certificate())
at = [used()]
table = rl.tables.open(path)
binarizer = rl.Binarizer(thresholds=groups).fit(table.features("y", "sex")); at.append(used())
counts = rl.tables.count(table, binarizer, "y", sensitive="sex"); at.append(used())
antecedents = rl.mine_antecedents(counts.frame, max_conditions=1, sample_weight=counts.rows)
problem = rl.Problem.from_antecedents(antecedents, counts.label, sample_weight=counts.rows)
search = rl.RuleListSearch(problem, 0.005)
last = rl.solve(search, time_limit=120)
valid = bool(rl.verify(problem, last.incumbent.model, search.certificate())) if last.status == "optimal" else False
at.append(used())
spent = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(at, at[1:])]
print(json.dumps([spent, at[-1][2], len(counts), counts.n_rows, str(last.status), valid,
                  [f"{c.column} {c.operator} {c.value}" for c in binarizer.conditions_]]))
"""
)


def main(argv: list[str]) -> int:
    """Print the table."""
    options = parser("tables", __doc__ or "", repeats=1)
    options.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7], metavar="N")
    options.add_argument("--groups", type=int, default=6, help="quantile groups a column (%(default)s)")
    options.add_argument("--folder", type=Path, help="where the files are kept; by default they are deleted")
    args = options.parse_args(argv)
    table, slope = Table(COLUMNS), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch)
        for rows in args.rows:
            path = folder / f"rows_{rows}.parquet"
            if not path.exists():
                _run(_MAKE, str(rows), str(path))
            spent, megabytes, kinds, counted, status, valid, conditions = json.loads(
                _run(_OURS, str(path), str(args.groups))
            )
            by_hand = json.loads(_run(_SQL, str(path), json.dumps(conditions)))
            assert counted == by_hand[4] == rows
            (look, _), (count, wall), (prove, _) = spent
            size = path.stat().st_size / 1e6
            table.add(
                rows,
                size,
                kinds,
                *by_hand[:3],
                look,
                count,
                wall,
                prove,
                megabytes,
                count / by_hand[0],
                status,
                str(valid),
            )
            slope.append((rows, look + count))
    if len(slope) > 1:
        (few, before), (many, after) = slope[-2:]
        each = (after - before) / (many - few)
        print(f"each further 10^8 rows take {1e8 * each:.1f} s of CPU; 10^9 rows, by this slope, {1e9 * each:.0f} s")
    table.save(args.json)
    return 0


def _run(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

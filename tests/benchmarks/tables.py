"""Counting tables of 10^5 to 10^8 rows in Parquet files under 40 conditions, beside the same group-by in DuckDB's SQL.

Each row is two processes: the statement written by hand; and from the files to a checked proof, where the table is
first looked at (one pass for each column, for the cuts), then counted (one pass), then searched. With ``--dask`` the
same is done once more by a Dask cluster on this machine, whose processes have one thread each: CPU is that of all of
them, memory that of the largest.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from _measure import Table, parser

COLUMNS = (
    "rows:10d | engine:-6 | file MB:8.0f | kinds:7d | SQL user:9.2f | SQL wall:9.2f | SQL MB:7.0f | "
    "look user:10.2f | count user:11.2f | count wall:11.2f | prove user:11.2f | MB:7.0f | ratio:6.2f | status:8 | "
    "valid:6"
)
_PART = "4MB"
"""Of a file, more or less: what a process of Dask reads at once."""
_MAKE = """
import duckdb, sys
rows, path, part = int(sys.argv[1]), sys.argv[2], sys.argv[3]
connection = duckdb.connect()
connection.execute("set memory_limit = '4GB'")
connection.execute("select setseed(0.5)")
connection.execute(f'''copy (select *, (random() < case when priors > 2 and age <= 30 then .8 when priors > 4 then .6
  when income <= 20 then .45 else .25 end)::int as y from (select 18 + floor(random() * 62)::int as age,
  floor(-ln(1 - random()) * 3)::int as priors, round(200 * random() * random())::int as income,
  floor(random() * 60)::int as hours, case when random() < .5 then 'f' else 'm' end as sex
  from range({rows}))) to '{path}' (format parquet, file_size_bytes '{part}')''')
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
    f"select {word} as word, y, sex, count(*) as n from read_parquet('{path}/*') group by word, y, sex").fetchnumpy()
after = used()
print(json.dumps([after[0] - before[0], after[1] - before[1], after[2], len(found["n"]), int(found["n"].sum())]))
"""
)
_OURS = (
    _USED
    + """
import rulelab as rl
path, groups, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
small = rl.Problem.from_counts([[0, 1], [1, 0], [1, 1]], [9, 0, 1], [0, 9, 2])
search = rl.RuleListSearch(small, 0.01)
search.compile()
rl.verify(small, rl.solve(search).incumbent.model, search.certificate())
if workers:
    from dask import dataframe
    from distributed import Client, LocalCluster
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    client = Client(LocalCluster(**options))
    here = used
    def used():
        all_of_them = [here(), *client.run(here).values()]
        return sum(each[0] for each in all_of_them), all_of_them[0][1], max(each[2] for each in all_of_them)
def source():
    return dataframe.read_parquet(path) if workers else path + "/*.parquet"
at = [used()]
table = rl.tables.open(source())
binarizer = rl.Binarizer(thresholds=groups).fit(table.features("y", "sex")); at.append(used())
counts = rl.tables.count(table, binarizer, "y", sensitive="sex"); at.append(used())
antecedents = rl.mine_antecedents(counts, max_conditions=1)
problem = rl.Problem.from_antecedents(antecedents)
search = rl.RuleListSearch(problem, 0.005)
last = rl.solve(search, time_limit=120)
valid = bool(rl.verify(problem, last.incumbent.model, search.certificate())) if last.status == "optimal" else False
at.append(used())
spent = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(at, at[1:])]
print(json.dumps([spent, at[-1][2], len(counts), counts.n_rows, str(last.status), valid, last.incumbent.objective,
                  [f"{c.column} {c.operator} {c.value}" for c in binarizer.conditions_]]))
"""
)


def main(argv: list[str]) -> int:
    """Print the table."""
    options = parser("tables", __doc__ or "", repeats=1)
    options.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6, 10**7], metavar="N")
    options.add_argument("--groups", type=int, default=6, help="quantile groups a column (%(default)s)")
    options.add_argument("--dask", type=int, default=0, metavar="N", help="count by a Dask cluster of N processes, too")
    options.add_argument("--folder", type=Path, help="where the files are kept; by default they are deleted")
    args = options.parse_args(argv)
    table = Table(COLUMNS)
    spent: dict[str, list[tuple[int, float]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for rows in args.rows:
            path = (args.folder or Path(scratch)) / f"rows_{rows}"
            if not path.exists():
                path.mkdir(parents=True)
                _run(_MAKE, str(rows), str(path), _PART)
            found = [_proven(path, args.groups, workers) for workers in dict.fromkeys((0, args.dask))]
            by_hand = json.loads(_run(_SQL, str(path), json.dumps(found[0].conditions)))
            assert by_hand[4] == rows
            for each in found:
                assert (each.rows, each.objective, each.conditions) == (rows, *found[0][-2:]), "engines differ"
                _add(table, each, path, by_hand)
                spent.setdefault(each.engine, []).append((rows, each.look + each.count))
    for engine, points in spent.items():
        if len(points) > 1:
            (few, before), (many, after) = points[-2:]
            slope = (after - before) / (many - few)
            said = f"each further 10^8 rows take {1e8 * slope:.1f} s of CPU"
            print(f"{engine}: {said}; 10^9 rows, by this slope, {1e9 * slope:.0f} s")
    table.save(args.json)
    return 0


class Proven(NamedTuple):
    """What became of a table: CPU seconds of each part, and wall-clock seconds of counting."""

    engine: str
    look: float
    count: float
    wall: float
    prove: float
    megabytes: float
    kinds: int
    rows: int
    status: str
    valid: bool
    objective: float
    conditions: list[str]


def _proven(path: Path, groups: int, workers: int) -> Proven:
    """From the files to a checked proof, by so many processes of Dask; 0: by DuckDB."""
    told = json.loads(_run(_OURS, str(path), str(groups), str(workers)))
    (look, _), (count, wall), (prove, _) = told[0]
    return Proven("dask" if workers else "duckdb", look, count, wall, prove, *told[1:])


def _add(table: Table, found: Proven, path: Path, by_hand: list[float]) -> None:
    size = sum(each.stat().st_size for each in path.iterdir()) / 1e6
    table.add(
        found.rows, found.engine, size, found.kinds, *by_hand[:3], found.look, found.count, found.wall, found.prove,
        found.megabytes, found.count / by_hand[0], found.status, str(found.valid),
    )  # fmt: skip


def _run(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return done.stdout

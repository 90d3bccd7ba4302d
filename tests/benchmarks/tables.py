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

import yaml
from _measure import Table, parser

COLUMNS = (
    "rows:10d | engine:-6 | file MB:8.0f | kinds:7d | SQL user:9.2f | SQL wall:9.2f | SQL MB:7.0f | "
    "look user:10.2f | count user:11.2f | count wall:11.2f | prove user:11.2f | MB:7.0f | ratio:6.2f | status:8 | "
    "valid:6"
)
_PART = "4MB"
"""Of a file, more or less: what a process of Dask reads at once."""
_PROGRAMS = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


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
                _run("make", str(rows), str(path), _PART)
            found = [_proven(path, args.groups, workers) for workers in dict.fromkeys((0, args.dask))]
            by_hand = json.loads(_run("counted by SQL", str(path), json.dumps(found[0].conditions)))
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
    told = json.loads(_run("counted and proven", str(path), str(groups), str(workers)))
    (look, _), (count, wall), (prove, _) = told[0]
    return Proven("dask" if workers else "duckdb", look, count, wall, prove, *told[1:])


def _add(table: Table, found: Proven, path: Path, by_hand: list[float]) -> None:
    size = sum(each.stat().st_size for each in path.iterdir()) / 1e6
    table.add(
        found.rows, found.engine, size, found.kinds, *by_hand[:3], found.look, found.count, found.wall, found.prove,
        found.megabytes, found.count / by_hand[0], found.status, str(found.valid),
    )  # fmt: skip


def _run(program: str, *arguments: str) -> str:
    code = _PROGRAMS["used"] + _PROGRAMS[program]
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return done.stdout

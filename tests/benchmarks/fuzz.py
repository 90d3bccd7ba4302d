"""Random small cases of every family, each solved and judged by enumeration in exact numbers.

A finding is printed with the command that reproduces it; the status is then 1.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from _measure import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))  # whose definitions judge

from crossed_cases import FAMILIES
from crossed_worker import ESTIMATORS, Worker, described

COLUMNS = (
    "family:-14 | cases:7d | seconds:8.1f | optimal:8d | infeasible:11d | other:6d | proofs:7d | mutants:8d | "
    "notes:6d | findings:9d"
)
_MUTATED = 10  # of so many proofs one is changed in every way
_ALL = (*FAMILIES, ESTIMATORS)


def main(argv: list[str]) -> int:
    """Print a line for each family, and the findings before it; status 1 when there are any."""
    options = argparse.ArgumentParser(prog="rulelab bench fuzz", description=__doc__)
    options.add_argument("--seconds", type=float, default=600.0, help="for all families together (%(default)s)")
    options.add_argument("--family", action="append", choices=_ALL, help="repeatable; all by default")
    options.add_argument(
        "--seed", type=int, default=0, help="of the first case; the next one has the next (%(default)s)"
    )
    options.add_argument("--cases", type=int, help="most cases of each family")
    options.add_argument("--alarm", type=float, default=60.0, help="seconds that a case may take (%(default)s)")
    text = "compile all kernels anew so that each access outside of an array is a finding, which takes minutes"
    options.add_argument("--check-bounds", action="store_true", help=text)
    options.add_argument("--notes", action="store_true", help="print what is only as good as the stated resolution")
    options.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    args = options.parse_args(argv)
    families, found = args.family or list(_ALL), 0
    table = Table(COLUMNS)
    with checked_bounds() if args.check_bounds else nullcontext(), Worker(args.alarm) as worker:
        for family in families:
            found += _run(worker, table, family, args, args.seconds / len(families))
    table.save(args.json)
    return min(found, 1)


@contextmanager
def checked_bounds() -> Iterator[None]:
    """Processes that are started meanwhile compile kernels that check their indices, in a cache of their own."""
    before = dict(os.environ)
    with TemporaryDirectory() as folder:
        os.environ.update(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=folder)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _run(worker: Worker, table: Table, family: str, args: argparse.Namespace, seconds: float) -> int:
    """Judge cases of a family, for so many seconds; returns the number of those with findings."""
    start, seed = time.perf_counter(), args.seed
    ended: Counter[str] = Counter()
    proofs = mutants = notes = wrong = 0
    while (args.cases is None or seed < args.seed + args.cases) and (
        seed == args.seed or time.perf_counter() - start < seconds
    ):
        outcome = worker.outcome(family, seed, mutate=seed % _MUTATED == 0)
        ended[outcome.status] += 1
        proofs, mutants, notes = proofs + outcome.proofs, mutants + outcome.mutants, notes + bool(outcome.notes)
        wrong += bool(outcome.findings)
        shown = outcome.findings + (outcome.notes if args.notes else [])
        if shown:
            print(f"\n{family}, seed {seed}: {described(family, seed)}")
            print("".join(f"  - {text}\n" for text in shown), end="")
            print(f"  rulelab bench fuzz --family {family} --seed {seed} --cases 1\n", flush=True)
        seed += 1
    optimal, infeasible = ended["optimal"], ended["infeasible"]
    other = seed - args.seed - optimal - infeasible
    taken = time.perf_counter() - start
    table.add(family, seed - args.seed, taken, optimal, infeasible, other, proofs, mutants, notes, wrong)
    return wrong

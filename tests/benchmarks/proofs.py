"""Proofs that rule lists are optimal: made after the search, saved, and checked by a process of its own.

The checking process reads the data, the list and the proof; it imports no search and compiles nothing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from _measure import Table, instances, parser, user_seconds
from rule_list import Instance, chosen_instances

import rulelab as rl

COLUMNS = (
    "instance:-13 | lambda:7g | search s:8.2f | made s:8.2f | sets:8d | lemmas:6d | kB:8.1f | check s:8.2f | "
    "valid:-5 | bound:10.7f"
)


def main(argv: list[str]) -> int:
    """Print the table; status 1 when a proof is not accepted."""
    options = parser("proofs", __doc__ or "", repeats=1)
    options.add_argument("names", nargs="*", metavar="INSTANCE", help="such as compas_a or compas_a:.005; default: all")
    options.add_argument("--all", action="store_true", help="with the four hardest, which are left out otherwise")
    options.add_argument("--check", nargs=2, type=Path, metavar=("MODEL", "PROOF"), help="check one instance's proof")
    args = options.parse_args(argv)
    chosen = chosen_instances(args.names, args.all)
    if not chosen:
        print(f"no instance is called {' or '.join(args.names)}", file=sys.stderr)
        return 2
    if args.check:
        print(json.dumps(check(chosen[0], *args.check)))
        return 0
    table, refused = Table(COLUMNS), 0
    for instance in chosen:
        refused += not _run(instance, table)
    table.save(args.json)
    if instances() is None:
        print("the COMPAS instances are left out: they are not beside this checkout")
    return min(refused, 1)


def check(instance: Instance, model: Path, proof: Path) -> dict[str, Any]:
    """Verify a saved proof against the instance's data."""
    A, y = instance.load()
    problem = rl.Problem.from_arrays(A, y)
    start = user_seconds()
    answer = rl.verify(problem, rl.load_model(model), rl.Certificate.load(proof), instance.regularization)
    return {"valid": answer.valid, "bound": answer.lower_bound, "seconds": user_seconds() - start}


def _run(instance: Instance, table: Table) -> bool:
    A, y = instance.load()
    rl.RuleListSearch(rl.Problem.from_arrays(A, y)).compile()
    start = user_seconds()
    search = rl.RuleListSearch(rl.Problem.from_arrays(A, y), regularization=instance.regularization)
    model = rl.solve(search).incumbent.model
    solved = user_seconds()
    proof = search.certificate()
    made = user_seconds()
    name = f"{instance.name}:{instance.regularization:g}"
    with tempfile.TemporaryDirectory() as folder:
        paths = Path(folder) / "model.json", Path(folder) / "proof.npz"
        paths[0].write_text(model.to_json(), encoding="utf-8")
        proof.save(paths[1])
        size = paths[1].stat().st_size
        command = [sys.executable, "-m", "rulelab", "bench", "proofs", name, "--check", *paths]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    table.add(
        instance.name, instance.regularization, solved - start, made - solved, len(proof.arrays["values"]),
        len(proof.arrays.get("lemmas", ())), size / 1e3, answer["seconds"], "yes" if answer["valid"] else "no",
        answer["bound"],
    )  # fmt: skip
    return bool(answer["valid"])

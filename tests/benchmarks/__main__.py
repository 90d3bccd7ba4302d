"""Any benchmark, those that builders alone need among them: ``python tests/benchmarks NAME`` in a checkout."""

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
known = [path.stem.replace("_", "-") for path in sorted(HERE.glob("[!_]*.py"))]
if len(sys.argv) < 2 or sys.argv[1] not in known:
    sys.exit(f"the benchmarks are {', '.join(known)}")
sys.exit(importlib.import_module(sys.argv[1].replace("-", "_")).main(sys.argv[2:]) or 0)

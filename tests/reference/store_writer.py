"""A process that keeps runs, and says each one when it is kept: ``store_writer.py STORE RECORDING NAME N``."""

import sys
from pathlib import Path

import rulelab as rl

if __name__ == "__main__":
    place, recording, name, times = sys.argv[1:]
    found = rl.Recording.load(Path(recording))
    with rl.store.open(place) as store:
        for k in range(int(times)):
            run = store.save(found, name=f"{name} {k}", data_name=name, settings={"k": str(k)})
            sys.stdout.write(f"{run.hash}\n")
            sys.stdout.flush()

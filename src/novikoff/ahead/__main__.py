"""`python -m novikoff.ahead`: build the library of compiled loops."""

import argparse
import sys
import time
from pathlib import Path

from novikoff.ahead.build import BuildError, build
from novikoff.ahead.uses import all_uses


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m novikoff.ahead", description=__doc__)
    parser.add_argument("--objects", type=Path, metavar="FOLDER", help="keep object files there, to build again faster")
    parser.add_argument("--everywhere", action="store_true", help="for all processors of this kind, not just this one")
    given = parser.parse_args()
    uses, began = all_uses(), time.perf_counter()
    try:
        made = build(uses, given.objects, given.everywhere)
    except BuildError as error:
        sys.exit(f"novikoff.ahead: {error}")
    size = sum(path.stat().st_size for path in made) / 2**20
    print(f"\n{len(uses)} uses of loops in {len(made) - 1} libraries, {size:.1f} MB, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()

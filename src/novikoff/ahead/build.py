"""Compile the uses of all loops on all processors, and link them into the library that `compiler/library.py` loads."""

import ctypes
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from novikoff.ahead.machine_code import Use, machine_code, run_nothing
from novikoff.compiler.by_numba import sources_of
from novikoff.compiler.library import DIGESTS, FOLDER, PACKAGE, SUFFIX, content_digest, digest_of
from novikoff.foundation.atomic_files import write_whole
from novikoff.foundation.parallel import cores

# Levels of processors, and LLVM's names for them. A library of each level is built, and the highest that runs is used.
LEVELS = {"x86_64": {2: "x86-64-v2", 3: "x86-64-v3"}, "aarch64": {1: "generic"}, "arm64": {1: "apple-m1"}}
TOGETHER = 6  # uses that one process compiles in a row: neighbours have most of their functions in common
PROCESSOR = """
#if defined(__x86_64__)
#include <cpuid.h>

static int has(unsigned leaf, unsigned wanted_b, unsigned wanted_c) {
  unsigned a, b, c, d;
  return __get_cpuid_count(leaf, 0, &a, &b, &c, &d) && (b & wanted_b) == wanted_b && (c & wanted_c) == wanted_c;
}

/* All that x86-64-v3 is: FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; and that the system saves the registers. */
int level(void) {
  unsigned low, high;
  if (!has(1, 0, 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29)) return 2;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & 6) == 6 && has(7, 1u << 3 | 1u << 5 | 1u << 8, 0) && has(0x80000001u, 0, 1u << 5) ? 3 : 2;
}
#else
int level(void) { return 1; }
#endif
"""
# numba calls ldexp by this name.
LDEXP = """
extern double ldexp(double, int);
__attribute__((visibility("hidden"))) double numba_ldexp(double x, int e) { return ldexp(x, e); }
"""


class BuildError(Exception):
    """The library cannot be built: why, and what to do."""


def build(uses: Sequence[Use], objects: Path | None, everywhere: bool) -> list[Path]:
    """Build the library for this processor, or for all levels of its kind. Object files are kept in `objects`, and used again."""
    known = LEVELS.get(platform.machine().lower())
    if known is None:
        raise BuildError(f"nothing is known of processors of the kind {platform.machine()}; numba compiles instead")
    compiler = _c_compiler()
    FOLDER.mkdir(mode=0o755, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "processor.c").write_text(PROCESSOR)
        _link(compiler, [work / "processor.c"], work / f"processor{SUFFIX}")
        level = ctypes.CDLL(str(work / f"processor{SUFFIX}")).level()
        (work / "about.c").write_text(_about(uses) + LDEXP)
        levels = list(known) if everywhere else [level]
        for number, made in zip(levels, _compile(uses, objects or work, [known[number] for number in levels]), strict=True):
            _link(compiler, [*made, work / "about.c"], work / f"loops-{number}{SUFFIX}")
        finished = [_put(path) for path in sorted(work.glob(f"*{SUFFIX}"))]
    write_whole(FOLDER / DIGESTS, "\n".join(map(content_digest, finished)).encode())
    for old in set(FOLDER.glob(f"loops-*{SUFFIX}")) - set(finished):
        old.unlink()
    return finished


def _compile(uses: Sequence[Use], folder: Path, processors: Sequence[str]) -> list[list[Path]]:
    """The object files of all uses, for each kind of processors."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [[folder / f"{use.name}-{processor}-{_digest(use)}.o" for processor in processors] for use in uses]
    missing = [k for k, of_use in enumerate(paths) if not all(path.exists() for path in of_use)]
    best = list(LEVELS[platform.machine().lower()].values())[-1]
    with ProcessPoolExecutor(cores(), mp_context=get_context("spawn"), initializer=_prepare, initargs=(best,)) as pool:
        task = partial(_compile_one, processors)
        for dot in pool.map(task, missing, [paths[k] for k in missing], chunksize=TOGETHER):
            print(dot, end="", flush=True)
    return [list(of_processor) for of_processor in zip(*paths, strict=True)]


def _about(uses: Sequence[Use]) -> str:
    """What the library was built from."""
    sources = sorted({"compiler/words.py", *(name for use in uses for name in sources_of(use.loop))})
    known = {"sources": "\n".join(sources), "digest": digest_of(sources)}
    return "\n".join(f"const char *{name} = {json.dumps(text)};" for name, text in known.items())


def _prepare(processor: str) -> None:
    """In a new process, before numba is imported."""
    os.environ |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "NUMBA_DISABLE_INTEL_SVML": "1"}
    os.environ.pop("NUMBA_BOUNDSCHECK", None)
    run_nothing()


def _compile_one(processors: Sequence[str], k: int, paths: Sequence[Path]) -> str:
    from novikoff.ahead.uses import all_uses

    for path, code in zip(paths, machine_code(all_uses()[k], processors), strict=True):
        write_whole(path, code)
    return "."


@cache
def _digest_of_file(name: str) -> str:
    return hashlib.sha256((PACKAGE / name).read_bytes()).hexdigest()


def _digest(use: Use) -> str:
    """Of everything that the object file depends on."""
    sources = [*sources_of(use.loop), "ahead/machine_code.py"]
    text = repr((version("numba"), use.never, [_digest_of_file(name) for name in sources]))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _c_compiler() -> list[str]:
    if given := os.environ.get("CC"):
        return given.split()
    found = next((path for name in ("cc", "gcc", "clang") if (path := shutil.which(name))), None)
    if found is not None:
        return [found]
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc"]
    raise BuildError("there is no C compiler, which links the library: install one, or pip install ziglang")


def _link(compiler: Sequence[str], parts: Iterable[Path], out: Path) -> None:
    strip = [] if sys.platform == "darwin" else ["-s"]
    listed = out.with_suffix(".txt")
    listed.write_text("\n".join(map(str, parts)))
    made = subprocess.run(
        [*compiler, "-shared", "-fPIC", "-O2", *strip, f"@{listed}", "-lm", "-o", str(out)], capture_output=True, text=True
    )
    if made.returncode:
        raise BuildError(f"the library cannot be linked: {made.stderr.strip() or compiler}")


def _put(path: Path) -> Path:
    """Move a library to where it is loaded from. One that is in use is replaced, not overwritten."""
    place = FOLDER / path.name
    new = place.with_name(f".{path.name}.new")
    shutil.copyfile(path, new)
    new.chmod(0o644)
    new.replace(place)
    return place

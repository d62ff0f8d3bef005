"""Marks the wheel as one for this platform if the library of compiled loops is in it (`python -m novikoff.ahead`)."""

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = "src/novikoff/compiler/built"
GLIBC = "manylinux_2_29"  # all that the library needs of the system is older; tests/ahead/test_library.py looks


class PlatformTag(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard" and any((Path(self.root) / BUILT).glob("loops-*")):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_").replace("linux", GLIBC, 1)
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform}"

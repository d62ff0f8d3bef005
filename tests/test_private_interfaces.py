"""Which private parts of other packages are used, and where; each of those packages has an upper bound on its version.

A name is private if it, or a part of its path, begins with an underscore, or if it belongs to a module that its package does not
document for others. What is not listed here must not be used: add it here, with the bound in pyproject.toml.
"""

import ast
import inspect
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {path.relative_to(ROOT / "src/novikoff").as_posix(): path for path in sorted((ROOT / "src/novikoff").rglob("*.py"))}

# Modules and names that are imported, by file.
IMPORTED = {
    "ahead/machine_code.py": {"numba.core.cpu"},
    "compiler/by_numba.py": {"numba.core.compiler_lock"},
    "compiler/intrinsics.py": {"numba.core.cgutils"},
    "compiler/numba_cache.py": {"numba.core.compiler", "numba.core.serialize"},
    "estimators/development_curve.py": {"sklearn.utils._safe_indexing"},
    "lab/server.py": {"uvicorn.protocols.http.h11_impl.H11Protocol"},
}
# Attributes of other packages' objects that begin with an underscore, by file.
ATTRIBUTES = {
    "ahead/machine_code.py": {"_getvalue"},  # of numba's proxies of structures
    "compiler/numba_cache.py": {"_rebuild", "_reduce"},  # of numba's CompileResult
    "compiler/by_numba.py": {"_cache"},  # of numba's dispatchers
}
# What classes here define for their base classes elsewhere to call.
OVERRIDDEN = {
    "estimators/river_adapter.py": {"_multiclass", "_raw_memory_usage"},
}
# Documented nowhere, though they have no underscore: of numba's dispatchers, contexts and results.
UNDOCUMENTED = {
    "compiler/numba_cache.py": {"has_dynamic_globals", "lifted", "magic_tuple", "refresh"},
    "lab/server.py": {"cycle", "response_complete"},
    "compiler/by_numba.py": {"typeof_pyval", "overloads", "entry_point", "._lock"},
    "compiler/intrinsics.py": {"_nrt", "forceinline", "make_array", "get_dummy_value"},
    "ahead/machine_code.py": {
        "make_array",
        "make_tuple",
        "get_dummy_value",
        "get_value_type",
        "get_data_type",
        "get_abi_sizeof",
        "get_executable",
        "inspect_llvm",
        "native_name",
        "nopython_signatures",
        "no_cpython_wrapper",
        "no_cfunc_wrapper",
    },
}
BOUNDED = {"numba", "llvmlite", "scikit-learn", "river", "uvicorn"}  # packages of which something is listed above
NOT_DOCUMENTED = ("numba.core", "uvicorn.protocols")
OWN = {"_replace", "_asdict", "_fields", "_field_defaults", "_exit"}  # documented, in spite of their names


def parsed(name):
    return ast.parse(SOURCES[name].read_text())


def is_foreign(module):
    return module.partition(".")[0] not in {"novikoff", *sys.stdlib_module_names}


def is_private(name):
    return any(part.startswith("_") and not part.startswith("__") for part in name.split(".")) or name.startswith(NOT_DOCUMENTED)


def imported(name):
    """Everything that a file imports of other packages, by its full name."""
    for node in ast.walk(parsed(name)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module" and isinstance(node.args[0], ast.Constant):
            yield node.args[0].value


def defined_here():
    """Every name with an underscore that classes of this package define."""
    found = set(OWN)
    for kind in (node for name in SOURCES for node in ast.walk(parsed(name)) if isinstance(node, ast.ClassDef)):
        for node in ast.walk(kind):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
                found.add(node.attr)
    return found


def attributes(name):
    return {
        node.attr
        for node in ast.walk(parsed(name))
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__")
    }


def listed(found):
    return {name: names for name, names in found.items() if names}


def test_what_is_imported_privately_is_listed():
    found = {name: {each for each in imported(name) if is_foreign(each) and is_private(each)} for name in SOURCES}
    assert listed(found) == IMPORTED


def test_private_attributes_that_are_not_our_own_are_listed():
    """A name that is also one of ours is taken for ours, unless it is listed."""
    own = defined_here()
    found = {name: attributes(name) - own | attributes(name) & ATTRIBUTES.get(name, set()) for name in SOURCES}
    assert listed(found) == ATTRIBUTES


def test_private_methods_that_are_overridden_are_listed():
    """Of classes with a base class elsewhere, what that base class has, too."""
    found: dict[str, set[str]] = {}
    for name in SOURCES:
        module: Any = import_module("novikoff." + name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for kind in vars(module).values():
            if inspect.isclass(kind) and kind.__module__ == module.__name__:
                bases = [base for base in kind.__mro__[1:] if is_foreign(base.__module__)]
                private = {each for each in vars(kind) if each.startswith("_") and not each.startswith("__")}
                shared = {each for each in private if any(each in vars(base) for base in bases)}
                found.setdefault(name, set()).update(
                    shared - {"_abc_impl", "_sklearn_auto_wrap_output_keys"}
                )  # made by the bases
    assert listed(found) == OVERRIDDEN


@pytest.mark.parametrize("name", UNDOCUMENTED)
def test_what_has_no_underscore_is_used_where_it_is_listed(name):
    text = SOURCES[name].read_text()
    assert not [each for each in UNDOCUMENTED[name] if each not in text]


def test_what_is_listed_is_there():
    """In the versions that are installed: what goes away is noticed here first."""
    import numba
    from numba.core import cgutils, compiler_lock, serialize
    from numba.core.compiler import CompileResult

    assert callable(serialize.dumps)
    assert compiler_lock.global_compiler_lock._lock.acquire(timeout=60)
    compiler_lock.global_compiler_lock._lock.release()
    assert callable(cgutils.get_item_pointer)
    assert callable(CompileResult._reduce)
    assert callable(CompileResult._rebuild)
    kernel = numba.njit(_nrt=False, forceinline=True)(lambda x: x[0])
    assert kernel(np.ones(1)) == 1
    types = (kernel.typeof_pyval(np.ones(1)),)
    result = kernel.overloads[types]
    assert result.entry_point(np.ones(1)) == 1
    assert not result.lifted
    assert not result.library.has_dynamic_globals
    assert result.codegen.magic_tuple()
    assert callable(kernel.targetctx.refresh)
    context = kernel.targetctx
    for name in ("make_array", "make_tuple", "get_dummy_value", "get_value_type", "get_data_type", "get_abi_sizeof"):
        assert callable(getattr(context, name))
    assert callable(context.get_executable)
    assert kernel.nopython_signatures
    callback = numba.cfunc("f8(f8)")(lambda x: x)
    assert callback.native_name in callback.inspect_llvm()
    assert not kernel._cache.cache_path  # what is asked in its place has the same methods
    assert {"load_overload", "save_overload", "cache_path"} <= set(dir(kernel._cache))
    source = inspect.getsource(import_module("numba.core.dispatcher"))
    assert set(re.findall(r"self\._cache\.(\w+)", source)) == {"load_overload", "save_overload", "cache_path", "flush"}
    from sklearn.utils import _safe_indexing

    assert _safe_indexing(np.arange(3), [2]).tolist() == [2]


def test_packages_whose_private_parts_are_used_are_tested_up_to_a_version():
    """And the versions that are installed, which these tests run with, are within."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    ours = [Requirement(each) for each in needed]
    used = {each.partition(".")[0] for names in IMPORTED.values() for each in names}
    assert {{"sklearn": "scikit-learn"}.get(each, each) for each in used} <= BOUNDED
    for package in BOUNDED:
        mentions = [each for each in ours if each.name == package]
        if package == "llvmlite":  # numba says which
            mentions = [each for each in map(Requirement, requires("numba") or []) if each.name == package]
        assert mentions
        for each in mentions:
            assert any(part.operator == "<" for part in each.specifier), each
            assert version(package) in each.specifier

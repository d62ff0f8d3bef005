"""One use of a loop as an object file with one function, `int64_t name(const int64_t *words)`.

numba compiles a function that puts the arguments together from their words (`compiler/words.py`) and calls the loop. Its LLVM
text is turned into position-independent machine code for a kind of processors.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from novikoff.compiler import generics
from novikoff.compiler.intrinsics import INLINE, PLAIN, teach_numba
from novikoff.compiler.library import names_of
from novikoff.compiler.words import BY_ROWS, EITHER, STRIDED, Family, family_of, take_apart

HARMLESS = {"memset", "memcpy", "memmove", "sqrt", "ldexp", "numba_ldexp"}  # all that the machine code may call


class UnsafeError(Exception):
    """A use of a loop cannot be compiled, or could raise an error or allocate memory, which nobody would notice."""


class Use(NamedTuple):
    """A loop, and arguments of the types that it is compiled for."""

    loop: Callable[..., Any]
    arguments: Sequence[Any]
    lies: str = BY_ROWS  # how the two-dimensional arrays in members of families lie in memory
    never: tuple[type, ...] = ()  # members of families that do not occur here

    @property
    def name(self) -> str:
        """What the library calls it."""
        key: list[Any] = []
        take_apart(self.arguments, key, [])
        return names_of(self.loop, [self.lies if part == EITHER else part for part in key])[0]


def machine_code(use: Use, processors: Sequence[str]) -> list[bytes]:
    """The loop for arguments of these types, as an object file for each kind of processors.

    All have the same instructions of LLVM, in which numba has optimised them for the processors of its own settings.
    """
    loop, arguments, lies, never = use
    name = use.name
    numba = import_module("numba")
    types = numba.types
    kinds = tuple(_type_of(x, lies, never) for x in arguments)
    teach_numba()
    native, put_together = numba.njit(**INLINE)(loop), _reader(kinds)
    try:
        native.compile(kinds)
    except Exception as error:  # numba has many kinds; one is that memory is allocated
        raise UnsafeError(f"{loop.__name__}{kinds} cannot be compiled") from error
    if native.nopython_signatures[-1].return_type == types.none:

        def entry(words: Any) -> Any:
            native(*put_together(words))
            return 0
    else:

        def entry(words: Any) -> Any:
            return types.int64(native(*put_together(words)))

    made = numba.cfunc(types.int64(types.CPointer(types.int64)), **PLAIN)(entry)
    return [_object_file(made, processor, name, f"{loop.__name__}{kinds}") for processor in processors]


def _object_file(made: Any, processor: str, name: str, shown: str) -> bytes:
    llvm = import_module("llvmlite.binding")
    module = llvm.parse_assembly(made.inspect_llvm())
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration:
            part.linkage = "internal"
    function = module.get_function(made.native_name)
    function.linkage, function.name = "external", name
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=processor, opt=3, reloc="pic", codemodel="default"
    )
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    builder.getModulePassManager().run(module, builder)  # what nobody calls any more goes; the rest is optimised already
    _require_safe(module, shown)
    code: bytes = machine.emit_object(module)
    return code


def run_nothing() -> None:
    """Compile nothing to be run in this process, which would take half as long again. Only for processes that do nothing else."""
    INLINE.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    context: Any = import_module("numba.core.cpu").CPUContext
    context.get_executable = lambda self, library, fndesc, env: [].append  # some function; it is never called


def _require_safe(module: Any, shown: str) -> None:
    asked = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")} - HARMLESS
    raised = [g.name for g in module.global_variables if "picklebuf" in g.name]  # where numba keeps errors
    if asked or raised:
        raise UnsafeError(f"{shown} could raise an error or allocate memory: it needs {', '.join(sorted(asked) or raised)}")


def _type_of(x: Any, lies: str, never: tuple[type, ...]) -> Any:
    """The type for numba. Arrays of a family lie as `lies` says, all others as those of the example."""
    types = import_module("numba").types
    family = family_of(type(x))  # type: ignore[arg-type]
    if family is not None:
        members = [types.NamedTuple([_lying(part, lies) for part in member], type(member)) for member in family.members]
        return types.NamedTuple([types.int64, *members], _any_of(family, never))
    if isinstance(x, tuple):
        parts = [_type_of(part, lies, never) for part in x]
        return types.NamedTuple(parts, type(x)) if hasattr(x, "_fields") else types.Tuple(parts)
    return _lying(x, BY_ROWS)


def _lying(x: Any, lies: str) -> Any:
    numba = import_module("numba")
    if not isinstance(x, np.ndarray):
        return numba.typeof(x)
    by_rows = x.flags.c_contiguous and not (lies == STRIDED and x.ndim == 2)
    return numba.types.Array(numba.from_dtype(x.dtype), x.ndim, "C" if by_rows else "A")


# ---- families: a type that may be any of them -----------------------------------------------------------------------


@cache
def _any_of(family: Family, never: tuple[type, ...]) -> type:
    """A type with the number of a member, and room for each of them. Its generic functions are those of the member."""
    rooms = [(f"member_{k}", Any) for k in range(len(family.members))]
    made = NamedTuple(f"Any{family.name.title()}", [("number", int), *rooms])  # type: ignore[misc]
    for question in generics:
        having = [k for kind, k in family.numbers.items() if kind in question.registry and kind not in never]
        if having:
            question.register(made)(_choosing(question, having))
    return made


def _choosing(question: Any, members: Sequence[int]) -> Callable[..., Any]:
    """The function that asks the member whose number the first argument has."""
    first, *rest = inspect.signature(question).parameters
    asked = [(k, f"return question({', '.join([f'{first}.member_{k}', *rest])})") for k in members]
    lines = [f"def choosing({', '.join([first, *rest])}):"]
    lines += [f"    if {first}.number == {k}: {ask}" for k, ask in asked[:-1]]
    made: dict[str, Any] = {"question": question}
    exec("\n".join([*lines, f"    {asked[-1][1]}"]), made)
    choosing: Callable[..., Any] = made["choosing"]
    return choosing


# ---- arguments from words -------------------------------------------------------------------------------------------


def _reader(kinds: Sequence[Any]) -> Any:
    """An intrinsic of numba that puts arguments of these types together from their words."""
    ir, types = import_module("llvmlite.ir"), import_module("numba").types
    i64, byte = ir.IntType(64), ir.IntType(8)
    together = types.Tuple(kinds)

    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = 0

        def word() -> Any:
            nonlocal at
            at += 1
            return builder.load(builder.gep(args[0], [i64(at - 1)]))

        def array(kind: Any) -> Any:
            fields = builder.inttoptr(word(), byte.as_pointer())

            def field(offset: int, like: Any) -> Any:
                return builder.load(builder.bitcast(builder.gep(fields, [i64(offset)]), like.as_pointer()))

            def several(offset: int) -> list[Any]:
                first = field(offset, i64.as_pointer())
                return [builder.load(builder.gep(first, [i64(k)])) for k in range(kind.ndim)]

            made = context.make_array(kind)(context, builder)
            shape, strides = several(16), several(24)  # after the address of the data and the number of dimensions
            entries = i64(1)
            for n in shape:
                entries = builder.mul(entries, n, flags=["nsw"])
            made.data = field(0, made.data.type)
            made.shape, made.strides = (packed(builder, n) for n in (shape, strides))
            made.itemsize = i64(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
            made.nitems = entries
            made.meminfo, made.parent = (ir.Constant(part.type, None) for part in (made.meminfo, made.parent))
            return made._getvalue()

        def value(kind: Any) -> Any:
            if isinstance(kind, types.BaseTuple):
                return context.make_tuple(builder, kind, [value(k) for k in kind.types])
            if isinstance(kind, types.Array):
                return array(kind)
            if isinstance(kind, types.NoneType):
                return context.get_dummy_value()
            as_stored, number = context.get_value_type(kind), word()
            if isinstance(kind, types.Float):
                return builder.bitcast(number, as_stored)
            return number if as_stored == i64 else builder.trunc(number, as_stored)

        return context.make_tuple(builder, signature.return_type, [value(k) for k in kinds])

    def packed(builder: Any, numbers: list[Any]) -> Any:
        made = ir.Constant(ir.ArrayType(i64, len(numbers)), ir.Undefined)
        for k, n in enumerate(numbers):
            made = builder.insert_value(made, n, k)
        return made

    return import_module("numba.extending").intrinsic(lambda typing_context, words: (together(words), emit))

"""What numba is taught: the generic functions and helpers of this package, and those helpers that are LLVM instructions."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from novikoff.compiler import (
    LANES,
    Question,
    byte_at,
    dot,
    eight_bytes,
    generics,
    helpers,
    high_product,
    load_shared,
    marks,
    prefetch,
    store_shared,
    trailing_zeros,
    wide,
)

# Without numba's reference counting: loops only take views of arrays that their callers hold, and counting references to
# the views took a fifth to a quarter of the time. "_nrt" has no public name; docs/decisions/numba.md has the figures.
PLAIN = {"_nrt": False, "error_model": "numpy"}
INLINE = {**PLAIN, "forceinline": True}  # a call would copy its tuples of arrays
VECTOR = 4  # sums per vector of `dot`, as in an AVX2 register; LLVM reads longer ones out of order, which is slower

_known_to_numba: set[Any] = set()


def teach_numba() -> None:
    """Register with numba the generics and helpers that it does not know yet."""
    extending: Any = import_module("numba.extending")
    if prefetch not in _known_to_numba:
        _known_to_numba.update(
            {prefetch, wide, store_shared, load_shared, byte_at, eight_bytes, trailing_zeros, high_product, marks, dot}
        )
        _teach_intrinsics(extending)
        _teach_dot(extending)
    for g in generics:
        if g not in _known_to_numba:
            _known_to_numba.add(g)
            extending.overload(g, strict=False, jit_options=INLINE)(_answer_by_type(g))
    for f in helpers:
        if f not in _known_to_numba:
            _known_to_numba.add(f)
            extending.overload(f, strict=False, jit_options=INLINE)(_answer(f))


def _answer_by_type(g: Question) -> Callable[..., Any]:
    def answer(*types: Any) -> Any:
        return g.registry.get(getattr(types[0], "instance_class", type(None)))

    return answer


def _answer(f: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*types: Any) -> Any:
        return f

    return answer


def _teach_intrinsics(extending: Any) -> None:
    import numpy as np

    ir: Any = import_module("llvmlite.ir")
    types: Any = import_module("numba.types")
    cgutils: Any = import_module("numba.core.cgutils")

    def hint(context: Any, array: Any, i: Any, j: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = signature.args[0]
            stored = context.make_array(kind)(context, builder, args[0])
            place = cgutils.get_item_pointer(context, builder, kind, stored, args[1 : 1 + kind.ndim])
            byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
            of_hint = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
            call = builder.module.declare_intrinsic("llvm.prefetch", [byte], of_hint)
            builder.call(call, [builder.bitcast(place, byte), i32(0), i32(0), i32(1)])  # to read, used once, data
            return context.get_dummy_value()

        return types.void(array, types.intp, types.intp), emit

    def place(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        return context.make_array(kind)(context, builder, array).data

    def store(context: Any, counter: Any, t: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            builder.store_atomic(args[1], place(context, builder, counter, args[0]), "monotonic", 8)
            return context.get_dummy_value()

        return types.void(counter, types.int64), emit

    def load(context: Any, counter: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load_atomic(place(context, builder, counter, args[0]), "monotonic", 8)

        return types.int64(counter), emit

    def bytes_at(context: Any, content: Any, p: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = builder.gep(place(context, builder, content, args[0]), [args[1]])
            return builder.load(builder.bitcast(first, ir.IntType(64).as_pointer()), align=1)

        return types.uint64(content, types.int64), emit

    def one_byte(context: Any, content: Any, p: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            byte = builder.load(builder.gep(place(context, builder, content, args[0]), [args[1]]))
            return builder.zext(byte, ir.IntType(64))

        return types.int64(content, types.int64), emit

    checks: bool = import_module("numba").config.BOUNDSCHECK

    def within(read: Any, size: int) -> Any:
        """`read(content, p)`. If numba checks bounds, raises an error unless all bytes that it reads are in the array."""
        if not checks:
            return lambda content, p: read(content, p)

        def checked(content: Any, p: Any) -> Any:
            if np.int64(p) < 0 or np.int64(p) + size > len(content):
                raise IndexError("bytes beyond the end of an array are read")
            return read(content, p)

        return checked

    llvm_byte = extending.intrinsic(one_byte)
    extending.overload(byte_at, strict=False)(lambda content, p: within(llvm_byte, 1))

    def zeros(context: Any, number: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), emit

    def upper(context: Any, a: Any, b: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            long = ir.IntType(128)
            product = builder.mul(builder.zext(args[0], long), builder.zext(args[1], long))
            return builder.trunc(builder.lshr(product, ir.Constant(long, 64)), ir.IntType(64))

        return types.uint64(types.uint64, types.uint64), emit

    llvm_prefetch, llvm_store, llvm_load = map(extending.intrinsic, (hint, store, load))

    def marked(context: Any, content: Any, p: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            byte = ir.IntType(8)
            vector = ir.VectorType(byte, 64)
            first = builder.gep(place(context, builder, content, args[0]), [args[1]])
            many = builder.load(builder.bitcast(first, vector.as_pointer()), align=1)

            def all_of(number: int) -> Any:
                return ir.Constant(vector, [ir.Constant(byte, number)] * 64)

            found = builder.icmp_unsigned("<=", many, all_of(32))
            for mark in b":.#":
                found = builder.or_(found, builder.icmp_unsigned("==", many, all_of(mark)))
            return builder.bitcast(found, ir.IntType(64))

        return types.uint64(content, types.int64), emit

    llvm_marks = extending.intrinsic(marked)
    extending.overload(marks, strict=False)(lambda content, p: within(llvm_marks, 64))
    llvm_bytes, llvm_zeros, llvm_upper = map(extending.intrinsic, (bytes_at, zeros, upper))
    extending.overload(eight_bytes, strict=False)(lambda content, p: within(llvm_bytes, 8))
    extending.overload(trailing_zeros, strict=False)(lambda number: lambda number: llvm_zeros(number))
    extending.overload(high_product, strict=False)(lambda a, b: lambda a, b: llvm_upper(a, b))
    extending.overload(prefetch, strict=False)(lambda array, i, j: lambda array, i, j: llvm_prefetch(array, i, j))
    extending.overload(store_shared, strict=False)(lambda counter, t: lambda counter, t: llvm_store(counter, t))
    extending.overload(load_shared, strict=False)(lambda counter: lambda counter: llvm_load(counter))
    extending.overload(wide, strict=False)(lambda x: lambda x: np.float64(x))


def _teach_dot(extending: Any) -> None:
    """`dot` with LLVM vectors, which LLVM maps to the registers of the processor. It may not reorder or fuse anything."""
    ir: Any = import_module("llvmlite.ir")
    types: Any = import_module("numba.types")
    cgutils: Any = import_module("numba.core.cgutils")
    double, i32, i64 = ir.DoubleType(), ir.IntType(32), ir.IntType(64)

    def read(context: Any, builder: Any, kind: Any, array: Any, first: Any, lanes: int) -> Any:
        """`lanes` numbers of an array, from `first` on, as doubles."""
        stored, vector = context.make_array(kind)(context, builder, array), ir.VectorType(double, lanes)
        if kind.layout == "C" and kind.dtype in (types.float64, types.float32):
            as_stored = ir.VectorType(context.get_value_type(kind.dtype), lanes)
            place = builder.bitcast(builder.gep(stored.data, [first]), as_stored.as_pointer())
            numbers = builder.load(place, align=1)
            return numbers if as_stored == vector else builder.fpext(numbers, vector)
        numbers = ir.Constant(vector, ir.Undefined)
        for k in range(lanes):
            place = cgutils.get_item_pointer(context, builder, kind, stored, [builder.add(first, i64(k))])
            number = context.cast(builder, context.unpack_value(builder, kind.dtype, place), kind.dtype, types.float64)
            numbers = builder.insert_element(numbers, number, i32(k))
        return numbers

    def products(context: Any, x: Any, w: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def with_products(sums: Any, j: Any) -> Any:
                for one in sums:
                    of_w, of_x = (read(context, builder, signature.args[a], args[a], j, one.type.count) for a in (1, 0))
                    yield builder.fadd(one, builder.fmul(of_w, of_x))
                    j = builder.add(j, i64(one.type.count))

            def halves(sums: Any) -> Any:
                if len(sums) > 1:
                    return sums[: len(sums) // 2], sums[len(sums) // 2 :]
                which = ir.VectorType(i32, sums[0].type.count // 2)
                parts = (ir.Constant(which, list(range(first, first + which.count))) for first in (0, which.count))
                return ([builder.shuffle_vector(*sums, ir.Constant(sums[0].type, ir.Undefined), part)] for part in parts)

            def either(one: Any, from_one: Any, other: Any, from_other: Any) -> Any:
                found = builder.phi(one.type)
                found.add_incoming(one, from_one)
                found.add_incoming(other, from_other)
                return found

            length = builder.extract_value(context.make_array(x)(context, builder, args[0]).shape, 0)
            j, lanes = builder.and_(length, i64(-LANES)), LANES
            zeros = ir.Constant(ir.VectorType(double, VECTOR), None)
            kept = [cgutils.alloca_once_value(builder, zeros) for _ in range(LANES // VECTOR)]
            with cgutils.for_range_slice(builder, i64(0), j, i64(LANES)) as (at, _):
                for one, place in zip(with_products(list(map(builder.load, kept)), at), kept, strict=True):
                    builder.store(one, place)
            sums = list(map(builder.load, kept))
            while lanes > 1:  # fewer than `lanes` are left: a bit of the length says whether half as many are
                lanes //= 2
                sums = list(map(builder.fadd, *halves(sums)))
                digit, before = builder.and_(length, i64(lanes)), builder.block
                with builder.if_then(builder.icmp_signed("!=", digit, i64(0))):
                    more, inside = list(with_products(sums, j)), builder.block
                sums = [either(one, before, other, inside) for one, other in zip(sums, more, strict=True)]
                j = builder.add(j, digit)
            return builder.extract_element(sums[0], i32(0))

        return types.float64(x, w), emit

    llvm_dot = extending.intrinsic(products)
    checks: bool = import_module("numba").config.BOUNDSCHECK

    def checked(x: Any, w: Any) -> Any:
        if len(w) < len(x):
            raise IndexError("numbers beyond the end of an array are read")
        return llvm_dot(x, w)

    extending.overload(dot, strict=False, jit_options=INLINE)(lambda x, w: checked if checks else lambda x, w: llvm_dot(x, w))

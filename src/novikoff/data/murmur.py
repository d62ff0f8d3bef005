"""Two hashes of bytes: 32-bit MurmurHash3 [appleby2011murmur], and one that is independent of it."""

from typing import Any

import numpy as np

from novikoff.compiler import apart, eight_bytes, helper, loop
from novikoff.compiler.dispatch import compiled

apart(__file__)

PADDING = 64  # zero bytes after a text, since eight are read at a time
M32 = np.uint64(2**32 - 1)
C1, C2, C3 = np.uint64(0xCC9E2D51), np.uint64(0x1B873593), np.uint64(0xE6546B64)
MIX1, MIX2 = np.uint64(0x85EBCA6B), np.uint64(0xC2B2AE35)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
ALL_BITS = np.uint64(2**64 - 1)


def hashed(text: bytes, seed: int = 0) -> int:
    """32-bit MurmurHash3.

    >>> hex(hashed(b"hello"))
    '0x248bfa47'
    """
    content = np.frombuffer(text + bytes(PADDING), np.uint8)
    return int(compiled(hash_bytes)(content, len(text), np.uint64(seed)))


@helper
def murmur(content: Any, at: Any, length: Any, seed: Any) -> Any:
    """MurmurHash3 (x86, 32 bits) of `length` bytes. Eight more bytes must be readable."""
    h = seed & M32
    for p in range(at, at + (length & ~3), 4):
        k = ((eight_bytes(content, p) & M32) * C1) & M32
        k = ((k << np.uint64(15) | k >> np.uint64(17)) * C2) & M32
        h ^= k
        h = ((h << np.uint64(13) | h >> np.uint64(19)) * np.uint64(5) + C3) & M32
    rest = np.uint64(length & 3)
    if rest:
        k = eight_bytes(content, at + (length & ~3)) & ((np.uint64(1) << (np.uint64(8) * rest)) - np.uint64(1))
        k = (k * C1) & M32
        h ^= ((k << np.uint64(15) | k >> np.uint64(17)) * C2) & M32
    h ^= np.uint64(length)
    h = ((h ^ (h >> np.uint64(16))) * MIX1) & M32
    h = ((h ^ (h >> np.uint64(13))) * MIX2) & M32
    return h ^ (h >> np.uint64(16))


@helper
def other_hash(content: Any, at: Any, length: Any, seed: Any) -> Any:
    """A hash of the same bytes that is independent of the first: an even number, never 0."""
    h = seed + np.uint64(length)
    for p in range(at, at + (length & ~7), 8):
        h = (h ^ eight_bytes(content, p)) * GOLDEN
        h ^= h >> np.uint64(32)
    rest = np.uint64(length & 7)
    if rest:
        last = eight_bytes(content, at + (length & ~7)) & (ALL_BITS >> (np.uint64(64) - np.uint64(8) * rest))
        h = (h ^ last) * GOLDEN
        h ^= h >> np.uint64(32)
    return (h * GOLDEN) >> np.uint64(34) << np.uint64(2) | np.uint64(2)


@loop
def hash_bytes(content: Any, length: Any, seed: Any) -> Any:
    return murmur(content, 0, length, seed)

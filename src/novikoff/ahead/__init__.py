"""Compiling ahead of time: which uses of loops are in the library, and the command that builds it, python -m novikoff.ahead."""

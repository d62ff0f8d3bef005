"""Threads that wait for each other."""

import subprocess
import sys

NESTED = """
from functools import partial
from novikoff.foundation.parallel import cores, in_order, side_by_side

def squares(n):
    return side_by_side([partial(pow, n + k, 2) for k in range(3)])

print([sum(some) for some in in_order(squares, iter(range(4 * cores() + 1)))])
"""


def test_tasks_of_tasks_end():
    """Also where all threads of the pool have tasks of their own."""
    ended = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("[5, 14, 29,")

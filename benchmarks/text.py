"""Lines of text to hashed rows: ours, from the file, against scikit-learn's `HashingVectorizer`, from lines in memory.

    python benchmarks/text.py [megabytes]

Both in one process, after a warm-up, in turns, the best of several. Ours has two threads and theirs has one, so times by the
clock depend on what else the machine does; the processor times of both do so less.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from novikoff.data.readers import open as opened

REPEATS = 5


def lines(megabytes, plain):
    """Made-up sentences: words by Zipf's law, the frequent ones short; commas and full stops; unless plain, accents too."""
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlcumwfgypbvk" + ("" if plain else "éüñ")))
    lengths = np.clip(rng.poisson(2 + np.log2(2 + np.arange(50_000)) / 2.5), 1, 16)
    words = ["".join(rng.choice(letters, n)) for n in lengths]
    law = np.cumsum(1 / np.arange(1, len(words) + 1))
    size, made = 0, []
    while size < megabytes * 1e6:
        some = [words[k] for k in np.searchsorted(law / law[-1], rng.random(rng.integers(5, 120)))]
        some = [word + ("," if k % 9 == 5 else " –" if k % 37 == 8 and not plain else "") for k, word in enumerate(some)]
        made.append(f"{' '.join(some).capitalize()}.")
        size += len(made[-1])
    return made


def timed(f):
    clock, processor = time.perf_counter(), time.process_time()
    f()
    return time.perf_counter() - clock, time.process_time() - processor


def main():
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 50
    for kind, plain in (("English letters only", True), ("with accents and dashes", False)):
        texts = lines(megabytes, plain)
        theirs, size = HashingVectorizer(norm=None), sum(len(text.encode()) for text in texts) / 1e6
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "lines.text"
            path.write_text("".join(f"{'spam' if k % 3 else 'ham'}\t{text}\n" for k, text in enumerate(texts)), encoding="utf-8")

            def ours(path=path):
                return sum(len(block.y) for block in opened(path))

            assert ours() == len(texts)
            theirs.transform(texts[:1000])
            times = np.array([[timed(ours), timed(lambda t=texts, v=theirs: v.transform(t))] for _ in range(REPEATS)])
        clock, processor = times.min(axis=0).T
        print(f"{size:.0f} MB, {kind}")
        for name, k in (("ours", 0), ("HashingVectorizer", 1)):
            print(f"  {name:20} {size / clock[k]:7.1f} MB/s by the clock {size / processor[k]:7.1f} MB/s of processor time")
        print(f"  ratio                {clock[1] / clock[0]:7.1f}                   {processor[1] / processor[0]:7.1f}")


if __name__ == "__main__":
    main()

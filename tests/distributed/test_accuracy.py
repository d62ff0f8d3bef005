"""Text that is hashed on the workers, in eight shards, against one machine at equal passes: ten, as `fit` makes them.

Mixing learns more slowly: after five passes it is a point behind, after twenty it is not behind at all (docs/cluster.md).
"""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from novikoff import Learner, open
from novikoff.distributed import fit, predict
from novikoff.models.training import train

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "text"
SPLITS, SHARDS, PASSES = 10, 8, 10


def sentences(name):
    """Lines "label, tab, text" of a corpus that has a file a class."""
    place = FOLDER / f"{name}.zip"
    if not place.exists():
        pytest.skip("the data is not beside the project")
    with zipfile.ZipFile(place) as archive:
        files = sorted(entry for entry in archive.namelist() if not entry.endswith(("/", ".txt")))
        texts = [archive.read(entry).decode("latin-1").splitlines() for entry in files]
    return [f"{label}\t{' '.join(line.split())}\n" for label, lines in zip(("a", "b"), texts, strict=True) for line in lines]


@pytest.mark.parametrize("name", ["sentence_polarity", pytest.param("subjectivity", marks=pytest.mark.full)])
def test_eight_shards_answer_as_well_as_one_machine(client, tmp_path, name):
    lines = sentences(name)
    ours, theirs = [], []
    for number in range(SPLITS):
        order = np.random.default_rng(number).permutation(len(lines))
        cut = len(lines) * 4 // 5
        for k, part in enumerate(np.array_split(order[:cut], SHARDS)):
            (tmp_path / f"part-{k}.txt").write_text("".join(lines[i] for i in part), encoding="utf-8")
        (tmp_path / "test.txt").write_text("".join(lines[i] for i in order[cut:]), encoding="utf-8")
        truth = np.array([lines[i][0] for i in order[cut:]])
        model = fit(str(tmp_path / "part-*.txt"), client=client, passes=PASSES, readout="averaged", format="text", bits=16)
        answers = predict(model, str(tmp_path / "test.txt"), client=client, format="text")
        ours.append((answers == truth).mean())
        data = open(str(tmp_path / "part-*.txt"), format="text", bits=16)
        learner = Learner(readout="averaged")
        train(learner, data, PASSES)
        X = next(iter(open(str(tmp_path / "test.txt"), format="text", bits=16))).X
        theirs.append((learner.classes[learner.codes(learner.decide(X))] == truth).mean())
    assert np.mean(ours) >= np.mean(theirs) - 0.007, (np.mean(ours), np.mean(theirs))
    assert np.mean(ours) > 0.7

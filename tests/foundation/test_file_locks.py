"""An online learner saves what it knows, and replaces nothing that it does not know."""

import pytest

from novikoff import OnlineLearner
from novikoff.foundation.file_locks import ChangedError, Hold


def test_two_online_learners_of_one_file_do_not_overwrite_each_other(tmp_path):
    place = tmp_path / "m.nvk"
    OnlineLearner().save(place)
    one, other = OnlineLearner.load(place), OnlineLearner.load(place)
    for _ in range(3):  # its own file may be saved as often as it likes
        one.learn_one({"a": 1}, "yes")
        one.save(place)
    other.learn_one({"b": 1}, "no")
    whole = place.read_bytes()
    with pytest.raises(ChangedError, match="has been changed since it was read, by another process"):
        other.save(place)
    assert place.read_bytes() == whole
    other.save(tmp_path / "other.nvk")
    assert OnlineLearner.load(place).features == ("a",)
    assert OnlineLearner.load(tmp_path / "other.nvk").features == ("b",)


def test_a_new_learner_may_replace_a_file_and_one_that_was_removed_is_written_again(tmp_path):
    place = tmp_path / "m.nvk"
    place.write_bytes(b"something else")
    online = OnlineLearner()
    online.save(place)
    place.unlink()
    online.save(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.nvk"]


def test_what_was_held_can_be_held_again(tmp_path):
    for _ in range(3):
        with Hold(tmp_path / "m.nvk", 0) as hold:
            hold.check()
    assert not list(tmp_path.iterdir())

"""How tests call the command, and what they expect of a refusal."""

from click.testing import CliRunner

from novikoff.cli import main


def run(*args, **more):
    return CliRunner().invoke(main, [str(arg) for arg in args], **more)


def done(*args, code=0, **more):
    found = run(*args, **more)
    assert found.exit_code == code, found.stderr
    return found.stdout


def refused(result, *words):
    """One line on standard error, nothing else, exit code 3."""
    assert result.exit_code == 3
    assert result.stdout == ""
    assert result.stderr.startswith("novikoff: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr

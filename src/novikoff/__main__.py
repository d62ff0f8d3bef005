"""`python -m novikoff` is the command `novikoff`."""

from novikoff.cli import main

if __name__ == "__main__":
    main(prog_name="novikoff")

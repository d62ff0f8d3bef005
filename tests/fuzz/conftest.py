"""The fuzzers are programs of their own, and change the environment when they are imported."""

collect_ignore = ["mutations.py", "program.py", "of_files.py", "of_matrices.py", "of_models.py"]

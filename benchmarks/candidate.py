"""What benchmarks/accuracy.py measures: change it here. Everything else is left as it is by default."""

from novikoff import MarginPerceptron

CANDIDATE = MarginPerceptron
ONLINE = {"rule": "margin", "readout": "averaged"}  # the same, as settings of `OnlineLearner`

NAME = f"{CANDIDATE.__name__}()"
ONLINE_NAME = "OnlineLearner({})".format(", ".join(f'{name}="{value}"' for name, value in ONLINE.items()))

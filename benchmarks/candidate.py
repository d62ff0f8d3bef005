"""What benchmarks/accuracy.py measures: change it here. Everything else is left as it is by default."""

from novikoff import AROW

CANDIDATE = AROW
ONLINE = {}  # settings of `OnlineLearner`

NAME = f"{CANDIDATE.__name__}()"
ONLINE_NAME = "OnlineLearner({})".format(", ".join(f'{name}="{value}"' for name, value in ONLINE.items()))

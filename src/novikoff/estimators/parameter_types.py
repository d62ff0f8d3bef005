"""Types of the estimators' parameters."""

import numpy as np

RandomState = int | np.random.RandomState | None

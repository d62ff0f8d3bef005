"""No windows, and no figure is left open."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")

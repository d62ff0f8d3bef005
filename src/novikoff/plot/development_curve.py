"""The accuracy of every readout after each pass (F12)."""

from typing import TYPE_CHECKING, Any

from novikoff.plot.canvas import MARKS, axes, colour, legend, marker, whole_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def development_curve(curve: Any, ax: "Axes | None" = None) -> "Axes":
    """Accuracy after each pass, on training rows (dashed) and on development rows (solid), for each readout; the best is marked.

    `curve` is what `novikoff.development_curve` returns.
    """
    if not (hasattr(curve, "dev") and hasattr(curve, "best")):
        raise TypeError(f"give what novikoff.development_curve returns, not {type(curve).__name__}")
    ax = axes(ax)
    few = len(curve.passes) <= 30
    for number, readout in enumerate(curve.dev):
        how: dict[str, Any] = {"color": colour(number), "marker": marker(number) if few else "", "markersize": 4}
        ax.plot(curve.passes, curve.dev[readout], linestyle="-", label=f"{readout}, development", **how)
        ax.plot(curve.passes, curve.train[readout], linestyle="--", label=f"{readout}, training", alpha=0.6, **how)
    best = curve.best
    ax.plot(
        [best.max_iter],
        [best.score],
        linestyle="",
        marker="o",
        markersize=14,
        markerfacecolor="none",
        markeredgecolor=MARKS,
        markeredgewidth=2,
        label=f"best: {best.readout}, {best.max_iter} {'pass' if best.max_iter == 1 else 'passes'}, {best.score:.1%}",
    )
    whole_ticks(ax.xaxis)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.4g} %")
    ax.set(xlabel="passes (max_iter)", ylabel="accuracy", title="Development curve")
    legend(ax, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)  # below the plot, since the lines may be anywhere
    return ax

"""`novikoff fit --cluster`: train on a Dask cluster."""

import logging
import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

from novikoff.cli import Refused, notify
from novikoff.cli.options import on_terminal

if TYPE_CHECKING:
    from novikoff.data.preparer import Wanted
    from novikoff.data.readers import Options
    from novikoff.distributed.fitting import Fitted
    from novikoff.learning.learner import Learner


class Cluster(NamedTuple):
    """The options about the cluster; `address` is None without one."""

    address: str | None
    mixing: str | None
    resume: bool

    def check(self, out: str | None, report: str | None, memory: int | None, files: tuple[str, ...]) -> None:
        """Refuse options that contradict each other."""
        if self.address is None:
            if self.mixing is not None or self.resume:
                raise Refused("--mixing and --resume need a cluster; name it, as in --cluster local")
            return
        if self.resume and out is None:
            raise Refused("--resume continues from the checkpoint beside a model; name the model with -o")
        if report is not None:
            raise Refused(f"{report}: fit cannot write a report on a cluster; write it afterwards with `novikoff report`")
        if memory is not None:
            raise Refused("--memory is for this machine only; set the memory of workers with `dask worker --memory-limit`")

    def fitted(
        self,
        learner: "Learner",
        files: tuple[str, ...],
        options: "Options",
        passes: int,
        fit_intercept: bool,
        out: str | None,
        silent: bool,
        wanted: "Wanted",
    ) -> "Fitted":
        """The model, and the errors of skipped lines. After each pass a checkpoint is written beside the model."""
        try:
            from novikoff.distributed.cluster import ClusterError, connected
            from novikoff.distributed.fitting import fitted
            from novikoff.distributed.progress import Bar
        except ImportError:
            raise Refused("--cluster needs dask: pip install 'novikoff[dask]'") from None
        assert self.address is not None, "there is a cluster"
        checkpoint = None if out is None else checkpoint_of(out)
        if self.resume and checkpoint is not None and not os.path.exists(checkpoint):
            notify(f"there is no checkpoint {checkpoint}; starting from the beginning")
        logging.disable()  # Dask logs tracebacks; the error below says the same in one line
        bar: AbstractContextManager[Bar | None] = Bar(passes) if on_terminal() and not silent else nullcontext()
        try:
            with connected(self.address) as client, bar as shown:
                return fitted(
                    list(files),
                    None,
                    learner,
                    options,
                    client=client,
                    passes=passes,
                    mixing=self.mixing or "uniform",
                    fit_intercept=fit_intercept,
                    wanted=wanted,
                    checkpoint=checkpoint,
                    resume=self.resume,
                    on_shard=None if shown is None else shown.on_shard,
                )
        except ClusterError as error:
            left = (
                f"; then continue with --resume, from {checkpoint}"
                if checkpoint is not None and os.path.exists(checkpoint)
                else ""
            )
            raise Refused(f"{error}{left}") from None
        except ValueError as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(f"{checkpoint}: cannot be written ({error.strerror}); choose another file") from None
        finally:
            logging.disable(logging.NOTSET)


def checkpoint_of(out: str) -> str:
    """The path of the checkpoint that belongs to a model."""
    return f"{out}.checkpoint"


def remove_checkpoint(out: str) -> None:
    """Remove the checkpoint of a model that is complete."""
    if os.path.exists(checkpoint_of(out)):
        os.remove(checkpoint_of(out))

"""`novikoff fit --cluster`: the same on a Dask cluster."""

import logging
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from novikoff.cli import Refused, tell
from novikoff.cli.options import on_terminal

if TYPE_CHECKING:
    from novikoff.data.readers import Options
    from novikoff.distributed.fitting import Fitted
    from novikoff.learning.learner import Learner


class Cluster(NamedTuple):
    """What a user says of the cluster; `address` is None where there is to be none."""

    address: str | None
    mixing: str | None
    resume: bool

    def check(self, out: str | None, report: str | None, memory: int | None, files: tuple[str, ...]) -> None:
        """Refuse what does not go together."""
        if self.address is None:
            if self.mixing is not None or self.resume:
                raise Refused("--mixing and --resume are of a cluster: say which, as in --cluster local")
            return
        if self.resume and out is None:
            raise Refused("--resume goes on from what an earlier run has left beside its model: say which, with -o")
        if report is not None:
            raise Refused(f"{report}: the rows of a cluster stay there; write the report afterwards, with `novikoff report`")
        if memory is not None:
            raise Refused("--memory is of this machine; what a worker may take is told to it (dask worker --memory-limit)")

    def fitted(
        self,
        learner: "Learner",
        files: tuple[str, ...],
        options: "Options",
        passes: int,
        fit_intercept: bool,
        out: str | None,
        silent: bool,
    ) -> "Fitted":
        """The model, and what was left out. Beside the model's place, a checkpoint says after each pass where it stands."""
        try:
            from novikoff.distributed.cluster import ClusterError, connected
            from novikoff.distributed.fitting import fitted
            from novikoff.distributed.progress import Bar
        except ImportError:
            raise Refused("--cluster needs dask: pip install 'novikoff[dask]'") from None
        assert self.address is not None, "there is a cluster"
        checkpoint = None if out is None else checkpoint_of(out)
        if self.resume and checkpoint is not None and not os.path.exists(checkpoint):
            tell(f"there is no {checkpoint} to go on from; this is the start")
        logging.disable()  # what goes wrong is said in a sentence, and Dask says it in tracebacks
        bar: Any = Bar(passes) if on_terminal() and not silent else nullcontext()
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
                    checkpoint=checkpoint,
                    resume=self.resume,
                    on_shard=None if shown is None else shown.on_shard,
                )
        except ClusterError as error:
            left = f"; then --resume goes on from {checkpoint}" if checkpoint is not None and os.path.exists(checkpoint) else ""
            raise Refused(f"{error}{left}") from None
        except ValueError as error:
            raise Refused(str(error)) from None
        except OSError as error:
            raise Refused(f"{checkpoint}: cannot be written ({error.strerror}); give another place") from None
        finally:
            logging.disable(logging.NOTSET)


def checkpoint_of(out: str) -> str:
    """Where the checkpoint of the model at this place is."""
    return f"{out}.checkpoint"


def remove_checkpoint(out: str) -> None:
    """The model is there, and its checkpoint has done its work."""
    if os.path.exists(checkpoint_of(out)):
        os.remove(checkpoint_of(out))

"""What can be wrong with checkpoints. Inside a job, this library cannot import Diamond's other errors."""

from __future__ import annotations


class CheckpointError(RuntimeError):
    """A checkpoint could not be written or used; the message ends with the next step."""


class NoRoom(CheckpointError):
    """The folder's file system has no space for the checkpoints to keep."""


class Superseded(CheckpointError):
    """A later run has taken over the folder; this one may no longer write there."""


class Damaged(CheckpointError):
    """Files of a checkpoint are missing, truncated or changed."""


class DoesNotFit(CheckpointError):
    """The checkpoint is intact, but belongs to another model or optimizer."""

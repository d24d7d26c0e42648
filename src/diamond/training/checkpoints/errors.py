"""What can be wrong with checkpoints, in words for a person. This library stands alone inside a job."""

from __future__ import annotations


class CheckpointError(RuntimeError):
    """A checkpoint could not be written or used; the message ends with a next step."""


class NoRoom(CheckpointError):
    """The folder's file system has no room for the checkpoints to be kept."""


class Superseded(CheckpointError):
    """A later run has taken the folder over; this one may not write there any more."""


class Damaged(CheckpointError):
    """Files of a checkpoint are missing, cut short or changed."""


class DoesNotFit(CheckpointError):
    """The checkpoint is whole, but was made from another model or optimizer."""

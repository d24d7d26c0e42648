"""Checkpoints of PyTorch trainings: asynchronous, sharded, atomic. Contract: `docs/internals/checkpoints.md`.

`folder`, `manifest`, `interval`, `room` and `events` need the standard library only; the rest imports torch.
"""

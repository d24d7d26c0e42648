"""The order of an epoch: a permutation that can be computed for any position alone, the same on every rank and machine."""

from __future__ import annotations

import hashlib
from typing import Any, List, Tuple

from diamond.frames import engines

_ROUNDS = 6


def positions(count: int, places: Any, *, seed: int, epoch: int) -> Any:
    """Where the rows at `places` of `count` rows stand in an epoch. A Feistel network, walked until it is in range."""
    numpy = engines.numpy()
    half = max(1, (max(1, count - 1).bit_length() + 1) // 2)
    keys = _keys(seed, epoch)
    found = _network(numpy.asarray(places, dtype=numpy.uint64), half, keys)
    outside = numpy.flatnonzero(found >= count)
    while len(outside):
        found[outside] = _network(found[outside], half, keys)
        outside = outside[found[outside] >= count]
    return found.astype(numpy.int64)


def owners(place: Any, *, count: int, taken: int, world: int, even: bool) -> Tuple[Any, Any, Any]:
    """Which rank uses the samples of an epoch after `taken`: (index into `place`, place among those left, rank).

    Sample number n of what is left goes to rank n % world. With `even`, samples from the beginning of the epoch are
    used again until all ranks have equally many; without, the surplus is left out.
    """
    numpy = engines.numpy()
    left = count - taken
    index = numpy.flatnonzero(place >= taken)
    number = place[index] - taken
    if not even:
        used = number < left - left % world
        return index[used], number[used], number[used] % world
    missing = -left % world
    indices, numbers = [index], [number]
    for again in range(0, missing, count):
        more = numpy.flatnonzero(place < missing - again)
        indices.append(more)
        numbers.append(left + again + place[more])
    index, number = numpy.concatenate(indices), numpy.concatenate(numbers)
    return index, number, number % world


def _network(values: Any, half: int, keys: List[int]) -> Any:
    numpy = engines.numpy()
    mask, shift = numpy.uint64((1 << half) - 1), numpy.uint64(half)
    left, right = values >> shift, values & mask
    for key in keys:
        left, right = right, left ^ (_mixed(right, numpy.uint64(key)) & mask)
    return (left << shift) | right


def _mixed(values: Any, key: Any) -> Any:
    """The finisher of splitmix64."""
    numpy = engines.numpy()
    values = values + key
    values = (values ^ (values >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return values ^ (values >> numpy.uint64(31))


def _keys(seed: int, epoch: int) -> List[int]:
    text = f"diamond.frames:{seed}:{epoch}".encode()
    digest = hashlib.sha256(text).digest() + hashlib.sha256(b"more" + text).digest()
    return [int.from_bytes(digest[at : at + 8], "little") for at in range(0, 8 * _ROUNDS, 8)]

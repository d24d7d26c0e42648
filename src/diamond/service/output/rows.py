"""Rows of output as frozen values."""

from __future__ import annotations

from dataclasses import dataclass

from diamond.service.platform.database.rows import TypedRow


@dataclass(frozen=True)
class LogStreamRow(TypedRow):
    """One stream of one run of an attempt."""

    id: int
    owner: str
    task: str
    attempt: str
    run: int
    rank: int
    stream: str
    size: int
    partial: bytes
    bad_lines: int


@dataclass(frozen=True)
class SeriesValues:
    """The last, lowest and highest value of a curve, and where; None before there is one."""

    first_step: float | None = None
    last: float | None = None
    last_step: float | None = None
    last_time: float | None = None
    low: float | None = None
    low_step: float | None = None
    high: float | None = None
    high_step: float | None = None


@dataclass(frozen=True)
class SeriesRow(TypedRow):
    """One metric of one run."""

    id: int
    owner: str
    task: str
    attempt: str
    run: int
    source: str
    name: str
    count: int
    stride: int
    first_step: float | None = None
    last: float | None = None
    last_step: float | None = None
    last_time: float | None = None
    low: float | None = None
    low_step: float | None = None
    high: float | None = None
    high_step: float | None = None

    @property
    def values(self) -> SeriesValues:
        return SeriesValues(
            self.first_step,
            self.last,
            self.last_step,
            self.last_time,
            self.low,
            self.low_step,
            self.high,
            self.high_step,
        )


@dataclass(frozen=True)
class MetricChunkRow(TypedRow):
    """Packed points of a series."""

    series: int
    start: int
    owner: str
    length: int
    data: bytes


@dataclass(frozen=True)
class LogChunkRow(TypedRow):
    """Bytes of a log stream."""

    stream: int
    start: int
    owner: str
    length: int
    data: bytes

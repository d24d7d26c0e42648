"""Past waits, as `sacct` prints them with SLURM_TIME_FORMAT=%s."""

from __future__ import annotations

from diamond.schedulers.slurm_history import MOST, read_waits


def test_a_job_that_started_tells_its_wait_size_limit_and_partition() -> None:
    assert read_waits("1000|1000|1600|2|120|gpu\n") == [[1000, 600, 2, 7200, "gpu"]]


def test_time_spent_on_dependencies_is_not_waiting_in_the_queue() -> None:
    assert read_waits("1000|1500|1600|2|120|gpu\n") == [[1500, 100, 2, 7200, "gpu"]]


def test_jobs_that_never_started_or_have_no_limit_are_passed_over() -> None:
    lines = [
        "1000|1000|Unknown|2|120|gpu",
        "1000|Unknown|None|2|120|gpu",
        "1000|1000|1600|2|UNLIMITED|gpu",
        "1000|1000|1600|0|120|gpu",
        "1000|1000|900|2|120|gpu",
        "some|other|text",
        "",
    ]
    assert read_waits("\n".join(lines)) == []


def test_of_several_partitions_the_first_is_taken() -> None:
    assert read_waits("1000|1000|1600|2|120|gpu,cpu\n")[0][4] == "gpu"


def test_the_last_starts_are_kept_in_their_order() -> None:
    lines = [f"{1000 + n}|{1000 + n}|{5000 - n}|1|60|gpu" for n in range(MOST + 50)]
    waits = read_waits("\n".join(lines))
    starts = [one[0] + one[1] for one in waits]
    assert len(waits) == MOST
    assert starts == sorted(starts) and starts[-1] == 5000

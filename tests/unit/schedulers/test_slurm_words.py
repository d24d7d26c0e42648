from __future__ import annotations

import pytest

from diamond.schedulers.slurm_calls import clean_environment, refused, site_words
from diamond.schedulers.slurm_words import is_held, plain_state, refusal, state_meaning, waiting

ALL_STATES = [
    "PENDING",
    "CONFIGURING",
    "RUNNING",
    "COMPLETING",
    "SUSPENDED",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESIZING",
    "SIGNALING",
    "STAGE_OUT",
    "STOPPED",
    "SPECIAL_EXIT",
    "COMPLETED",
    "FAILED",
    "TIMEOUT",
    "CANCELLED",
    "PREEMPTED",
    "NODE_FAIL",
    "BOOT_FAIL",
    "DEADLINE",
    "OUT_OF_MEMORY",
    "REVOKED",
    "LAUNCH_FAILED",
    "RECONFIG_FAIL",
    "POWER_UP_NODE",
    "RESV_DEL_HOLD",
    "UPDATE_DB",
    "EXPEDITING",
]


@pytest.mark.parametrize("state", ALL_STATES)
def test_every_state_has_a_meaning(state: str) -> None:
    assert state_meaning(state).status != "unknown"


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("CANCELLED by 1000", "CANCELLED"),
        ("CANCELLED+", "CANCELLED"),
        ("RUNNING+COMPLETING", "COMPLETING"),
        ("PENDING,REQUEUED", "PENDING"),
        ("CG", "COMPLETING"),
        ("OOM", "OUT_OF_MEMORY"),
        ("running", "RUNNING"),
        ("SLEEPING", "SLEEPING"),
    ],
)
def test_states_are_read_in_all_their_forms(said: str, plain: str) -> None:
    assert plain_state(said) == plain


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("Priority", "higher priority"),
        ("Resources", "next in line"),
        ("None", "scheduler"),
        ("QOSMaxJobsPerUserLimit", "for one person"),
        ("QOSMaxGRESPerUser", "for one person"),
        ("QOSMaxSubmitJobPerUserLimit", "queued"),
        ("AssocGrpCPUMinutesLimit", "too little time left"),
        ("AssocGrpBillingMinutes", "too little time left"),
        ("AssocGrpCpuLimit", "together"),
        ("AssocMaxJobsLimit", "this account allows"),
        ("PartitionTimeLimit", "more time than the partition"),
        ("PartitionNodeLimit", "more nodes"),
        ("Dependency", "another job"),
        ("(DependencyNeverSatisfied)", "never"),
        ("BeginTime", "start time"),
        ("JobHeldUser", "held by its owner"),
        ("JobHeldAdmin", "administrator"),
        ("Licenses", "licence"),
        ("ReqNodeNotAvail", "not available"),
        ("ReqNodeNotAvail, UnavailableNodes:gpu[01-04]", "gpu[01-04]"),
        ("ReqNodeNotAvail, Reserved for maintenance", "maintenance"),
        ("launch failed requeued held", "could not start"),
        ("Reservation", "reservation"),
    ],
)
def test_reasons_to_wait_are_told_in_words(reason: str, words: str) -> None:
    assert words in waiting(reason)


def test_a_reason_nobody_foresaw_is_shown_as_it_is() -> None:
    assert "SomethingNew" in waiting("SomethingNew")


def test_braces_in_a_reason_do_no_harm() -> None:
    assert "{0}" in waiting("ReqNodeNotAvail, UnavailableNodes:{0}")


def test_only_holds_are_held() -> None:
    assert is_held("JobHeldUser")
    assert not is_held("Priority")


@pytest.mark.parametrize(
    ("said", "code", "words"),
    [
        ("Batch job submission failed: Invalid partition name specified", "refused", "partition"),
        (
            "Batch job submission failed: Invalid account or account/partition combination specified",
            "refused",
            "account",
        ),
        ("Batch job submission failed: Invalid qos specification", "refused", "QOS"),
        (
            "Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
            "refused",
            "wall-time",
        ),
        (
            "Batch job submission failed: Requested node configuration is not available",
            "refused",
            "No node",
        ),
        (
            "Batch job submission failed: Invalid generic resource (gres) specification",
            "refused",
            "No node",
        ),
        ("Batch job submission failed: Node count specification invalid", "refused", "nodes"),
        (
            "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's "
            "size and/or time limits)",
            "refused",
            "limit",
        ),
        (
            "QOSMaxSubmitJobPerUserLimit / Batch job submission failed: Job violates accounting/QOS policy",
            "submit-limit",
            "as many jobs",
        ),
        (
            "AssocMaxSubmitJobLimit / Batch job submission failed: Job violates accounting/QOS policy",
            "submit-limit",
            "as many jobs",
        ),
        (
            "QOSMaxWallDurationPerJobLimit / Batch job submission failed: Job violates accounting/QOS "
            "policy (job submit limit, user's size and/or time limits)",
            "refused",
            "limit",
        ),
        ("Batch job submission failed: Requested reservation is invalid", "refused", "reservation"),
        ("--> ERROR: something only this site says", "refused", "rejected"),
    ],
)
def test_refusals_are_told_in_plain_words_and_the_sites_own(
    said: str, code: str, words: str
) -> None:
    error = refused(["sbatch"], f"sbatch: error: {said}")
    assert error.detail_code == code
    assert words in error.message
    assert said.split(" / ")[0] in error.message
    assert error.hint


def test_a_limit_that_waiting_cannot_cure_is_no_submit_limit() -> None:
    """The policy message always names the submit limit; only the word before it tells which it was."""
    policy = "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
    assert refusal(f"QOSMaxCpuPerJobLimit / {policy}").code == "refused"
    assert refusal(f"QOSMaxSubmitJobPerUserLimit / {policy}").code == "submit-limit"


def test_the_commands_name_is_not_part_of_the_sites_words() -> None:
    said = "sbatch: error: one\nsbatch: two\n\nsbatch: error: one\n"
    assert site_words(said) == "one / two"


def test_a_refusal_without_words_says_so() -> None:
    assert "no reason" in refused(["sbatch"], "").message


def test_the_first_refusal_that_fits_is_taken() -> None:
    assert refusal("Invalid account or account/partition combination").message.startswith("The acc")


def test_settings_of_an_outer_job_do_not_leak_into_questions() -> None:
    given = {
        "SLURM_JOB_ID": "7",
        "SBATCH_ACCOUNT": "x",
        "SQUEUE_FORMAT": "%i",
        "PATH": "/bin",
        "SLURM_CONF": "/etc/slurm.conf",
        "LANG": "de_DE.UTF-8",
    }
    clean = clean_environment(given)
    assert {"SLURM_JOB_ID", "SBATCH_ACCOUNT", "SQUEUE_FORMAT"}.isdisjoint(clean)
    assert clean["SLURM_CONF"] == "/etc/slurm.conf"
    assert clean["LC_ALL"] == "C"

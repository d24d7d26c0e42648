"""MariaDB and slurmdbd, shared by all clusters of a lab, and the users' accounts."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .daemons import slurm
from .processes import call, enter_network, listens, pid_of, require, start
from .shape import LabError, LabShape
from .sites import ACCOUNTS, STRICT_QOS, accounts_of

ROOM_BYTES = 500_000_000
# Durability is off: nobody needs this database after a crash.
MY_CNF = """\
[mariadbd]
datadir={folder}/data
socket={folder}/socket
pid-file={folder}/mariadbd.pid
log-error={log}/mariadbd.log
tmpdir={folder}
port={port}
bind-address=127.0.0.1
user=root
skip-name-resolve
innodb_buffer_pool_size=64M
innodb_log_file_size=16M
innodb_flush_log_at_trx_commit=0
innodb_flush_method=nosync
innodb_use_native_aio=0
innodb_doublewrite=0
innodb_lock_wait_timeout=900
performance_schema=0
"""
SLURMDBD_CONF = """\
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={munge}
PidFile={folder}/slurmdbd.pid
LogFile={log}/slurmdbd.log
DebugLevelSyslog=quiet
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database_port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""
GRANT = (
    "create database if not exists slurm;"
    "create user if not exists slurm@'127.0.0.1' identified by 'slurm';"
    "grant all on slurm.* to slurm@'127.0.0.1'"
)


def start_accounting(lab: LabShape) -> None:
    folder = lab.root / "db"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    if not pid_of(lab, "mariadbd"):
        start_database(lab, folder)
    if not pid_of(lab, "slurmdbd"):
        start_slurmdbd(lab, folder)
    define_accounts(lab, folder / "accounts")


def start_database(lab: LabShape, folder: Path) -> None:
    conf = folder / "my.cnf"
    conf.write_text(MY_CNF.format(folder=folder, log=lab.root / "log", port=lab.database_port))
    if not (folder / "data").exists():
        create_database(folder, conf)
    start(lab, "mariadbd", ["mariadbd", f"--defaults-file={conf}"])
    client = [
        *enter_network(lab),
        "mariadb",
        f"--defaults-file={conf}",
        f"--socket={folder}/socket",
        "-u",
        "root",
        "-e",
    ]
    require(lab, "mariadbd", lambda: call(*client, "select 1", check=False).returncode == 0)
    call(*client, GRANT)


def create_database(folder: Path, conf: Path) -> None:
    """Created in memory if there is space (0.7 s instead of 4.4 s of fsync), then copied."""
    memory = Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM_BYTES
    with tempfile.TemporaryDirectory(dir=memory if roomy else folder) as scratch:
        call(
            "mariadb-install-db",
            f"--defaults-file={conf}",
            f"--datadir={scratch}/data",
            "--skip-test-db",
            "--auth-root-authentication-method=normal",
        )
        shutil.copytree(f"{scratch}/data", folder / "new", dirs_exist_ok=True)
    (folder / "new").rename(folder / "data")


def start_slurmdbd(lab: LabShape, folder: Path) -> None:
    conf = folder / "slurmdbd.conf"
    conf.touch(mode=0o600)
    conf.write_text(
        SLURMDBD_CONF.format(
            folder=folder,
            log=lab.root / "log",
            munge=lab.munge_socket,
            port=lab.slurmdbd_port,
            database_port=lab.database_port,
        )
    )
    # slurmdbd looks for its own file next to the one in SLURM_CONF.
    start(lab, "slurmdbd", ["slurmdbd", "-D"], {"SLURM_CONF": str(folder / "slurm.conf")})
    require(lab, "slurmdbd", lambda: listens(lab, "slurmdbd", lab.slurmdbd_port))


def define_accounts(lab: LabShape, done: Path) -> None:
    """Must run before slurmctld starts, which requires the QoS named by its partitions."""
    wanted = [["cluster", ",".join(cluster.name for cluster in lab.clusters)]]
    wanted += [["account", ",".join(ACCOUNTS)]]
    wanted += qos_words(lab) + user_words(lab)
    text = "\n".join(" ".join(command) for command in wanted)
    if done.exists() and done.read_text() == text:
        return
    for command in wanted:
        add(lab, command)
    done.write_text(text)


def add(lab: LabShape, command: list[str]) -> None:
    """sacctmgr reports existing entries on stdout with exit status 1, and real errors on stderr."""
    answer = slurm(lab, lab.clusters[0], "sacctmgr", "-i", "-Q", "add", *command, check=False)
    if answer.returncode and answer.stderr:
        raise LabError(f"sacctmgr add {' '.join(command)}: {answer.stderr.strip()}")


def qos_words(lab: LabShape) -> list[list[str]]:
    if not any(cluster.is_strict for cluster in lab.clusters):
        return []
    return [["qos", name, *limits.split()] for name, limits in STRICT_QOS.items()]


def user_words(lab: LabShape) -> list[list[str]]:
    """One call for all users with the same accounts, because each call takes about 0.7 s."""
    groups: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for strict in {cluster.is_strict for cluster in lab.clusters}:
        for user in lab.options.user_names:
            groups.setdefault((strict, accounts_of(lab, user, strict=strict)), []).append(user)
    return [
        [
            "user",
            ",".join(users),
            f"Account={','.join(accounts)}",
            "DefaultAccount=research",
            f"Cluster={','.join(c.name for c in lab.clusters if c.is_strict == strict)}",
            *(["QOS=normal,debug"] if strict else []),
        ]
        for (strict, accounts), users in groups.items()
    ]

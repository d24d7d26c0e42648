"""`up`: start a lab from nothing, or from whatever is left of one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from .accounting import start_accounting
from .config import write_config
from .daemons import (
    bring_into_service,
    require_controller,
    start_controller,
    start_munge,
    start_node,
)
from .login import start_login, write_client_files
from .machine import (
    can_isolate,
    check_machine,
    check_reachable,
    ensure_network,
    ensure_users,
    free_ports,
    install_packages,
    locked,
    name_hosts,
)
from .old_python import offer_old_python
from .processes import running
from .shape import LabError, LabShape, Options, UpOptions, count_ports, lay_out, load, merge, save
from .storage import mount_storage


def bring_up(root: Path, asked: UpOptions) -> None:
    check_machine()
    with readable_by_all(), locked(root / ".lock"):
        old = load(root)
        options = merge(old.options if old else Options(), asked)
        is_up = old is not None and bool(running(old))
        if old and is_up and options != old.options:
            raise LabError(different(old.options, options, root))
        # Ports are only safe once bound, and all labs share packages and /etc/hosts,
        # so labs start one after the other.
        with locked():
            lab = old if old and is_up else prepare(root, options)
            start_everything(lab)


@contextlib.contextmanager
def readable_by_all() -> Iterator[None]:
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


def different(old: Options, new: Options, root: Path) -> str:
    names = [name for name, value in asdict(new).items() if asdict(old)[name] != value]
    return f"the lab is already up with a different --{', --'.join(names)}; first run: diamond lab down --dir {root}"


def prepare(root: Path, options: Options) -> LabShape:
    """Create everything that must exist before the first daemon starts."""
    count = count_ports(options)
    install_packages(options)
    ensure_users(options.user_names)
    for folder in (root, root / "run", root / "log"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    check_reachable(root, options.user_names)
    ports = free_ports(root, count)
    lab = lay_out(root, options, isolated=can_isolate(), ports=ports)
    for cluster in lab.clusters:
        write_config(lab, cluster)
    save(lab)
    return lab


def start_everything(lab: LabShape) -> None:
    try:
        start_shared(lab)
        start_clusters(lab)
    except LabError as error:
        hint = f"To clean up: diamond lab down --dir {lab.root}"
        raise LabError(f"{error}\n{hint}") from None


def start_shared(lab: LabShape) -> None:
    name_hosts(lab, present=True)
    ensure_network(lab)
    start_munge(lab)
    if lab.options.accounting:
        start_accounting(lab)
    if lab.options.ssh:
        write_client_files(lab)


def start_clusters(lab: LabShape) -> None:
    for cluster in lab.clusters:
        start_controller(lab, cluster)
        mount_storage(lab, cluster)
        offer_old_python(cluster)
    for cluster in lab.clusters:
        require_controller(lab, cluster)
        for node in cluster.node_names:
            start_node(lab, cluster, node)
        if lab.options.ssh:
            start_login(lab, cluster)
    for cluster in lab.clusters:
        bring_into_service(lab, cluster, cluster.node_names)

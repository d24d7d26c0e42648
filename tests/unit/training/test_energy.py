"""Energy from plain folders of counters, as HPE Cray machines and Linux have them."""

from __future__ import annotations

from pathlib import Path

from diamond.training.energy import EnergyMeter
from diamond.training.gpus import from_nvidia
from diamond.training.processes import Usage
from diamond.training.sampler import summed, usage_line


def written(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def rapl(root: Path, name: str, kind: str, joules: float) -> None:
    place = root / "sys/class/powercap" / name
    written(place / "name", kind + "\n")
    written(place / "energy_uj", f"{joules * 1e6:.0f}\n")
    written(place / "max_energy_range_uj", "1000000000\n")


def test_the_counter_of_the_node_counts_from_the_start_of_the_run_and_covers_its_gpus(
    tmp_path: Path,
) -> None:
    counter = tmp_path / "sys/cray/pm_counters/energy"
    written(counter, "81429305 J 1699971402123456 us\n")
    meter = EnergyMeter(tmp_path)
    written(counter, "81429805 J 1699971412123456 us\n")
    assert meter.read([300.0], now=0) == {"energy_joules": 500.0}
    assert meter.read([300.0], now=10) == {"energy_joules": 500.0}


def test_processors_and_memory_add_up_and_a_counter_may_begin_again(tmp_path: Path) -> None:
    rapl(tmp_path, "intel-rapl:0", "package-0", 990)
    rapl(tmp_path, "intel-rapl:1", "package-1", 10)
    rapl(tmp_path, "intel-rapl:0:0", "core", 5)
    rapl(tmp_path, "intel-rapl:0:1", "dram", 1)
    meter = EnergyMeter(tmp_path)
    rapl(tmp_path, "intel-rapl:0", "package-0", 20)
    rapl(tmp_path, "intel-rapl:1", "package-1", 40)
    rapl(tmp_path, "intel-rapl:0:0", "core", 500)
    rapl(tmp_path, "intel-rapl:0:1", "dram", 3)
    assert meter.read([], now=0) == {"energy_joules": 62.0}


def test_power_of_gpus_is_added_over_time(tmp_path: Path) -> None:
    meter = EnergyMeter(tmp_path)
    assert meter.read([100.0, 200.0], now=50.0) == {"energy_joules": 0.0}
    assert meter.read([300.0, 200.0], now=60.0) == {"energy_joules": 4000.0}


def test_a_machine_that_says_nothing_and_broken_counters_give_no_number(tmp_path: Path) -> None:
    assert EnergyMeter(tmp_path).read([], now=1) == {}
    written(tmp_path / "sys/cray/pm_counters/energy", "")
    rapl(tmp_path, "intel-rapl:0", "package-0", 1)
    written(tmp_path / "sys/class/powercap/intel-rapl:0/energy_uj", "not a number")
    assert EnergyMeter(tmp_path).read([], now=1) == {}


def test_the_line_of_a_sample_has_it_and_the_sum_only_if_all_nodes_say_it(tmp_path: Path) -> None:
    rapl(tmp_path, "intel-rapl:0", "package-0", 1)
    meter = EnergyMeter(tmp_path)
    rapl(tmp_path, "intel-rapl:0", "package-0", 31)
    usage = Usage(0.0, {}, 0)
    own = usage_line(usage, Usage(1.0, {}, 0), now=5.0, energy=meter)
    assert own["energy_joules"] == 30.0
    other = {"cpu_percent": 1.0, "memory_mb": 1.0, "gpus": []}
    assert "energy_joules" not in summed(own, {"n2": dict(other)})
    both = summed(own, {"n2": {**other, "energy_joules": 12.5}})
    assert both["energy_joules"] == 42.5
    assert both["n2/energy_joules"] == 12.5


def test_power_is_read_from_the_vendors_tool_where_it_says_so() -> None:
    gpus = from_nvidia("0, 87, 40123, 251.3\n1, 3, 12, [N/A]\n")
    assert gpus[0]["power_watts"] == 251.3
    assert "power_watts" not in gpus[1]

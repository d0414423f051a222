"""A simulated host is a real machine in all but the GPU, and looks like the box it stands for."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.lab

SPARK = {
    "id -un": "nvidia",
    "sudo -n id -un": "root",
    "systemctl is-system-running": "running",
    "ps -o comm= -p 1": "systemd",
    "uname -srm": "Linux 7.0.0-1019-nvidia aarch64",
    "getconf GNU_LIBC_VERSION": "glibc 2.39",
    "cat /sys/class/dmi/id/product_name": "NVIDIA_DGX_Spark",
    "nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv": (
        "name, driver_version, memory.total [MiB], compute_cap\nNVIDIA GB10, 580.178.04, [N/A], 12.1"
    ),
    "nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader": "",
    "lspci -n": "000f:01:00.0 0302: 10de:2e12 (rev a1)",
    "/usr/bin/python3 -c 'import tensorrt; print(tensorrt.__version__)'": "10.16.1.11",
    """/usr/bin/python3 -c 'import ctypes.util as u; print(u.find_library("cudart"))'""": "libcudart.so.13",
    "dpkg-query -W -f '${Version}' python3-libnvinfer": "10.16.1.11-1+cuda13.2",
    "timedatectl show -p NTPSynchronized": "NTPSynchronized=yes",
    "head -n 1 /proc/meminfo": "MemTotal:       127532112 kB",
    "df -PB1 /opt | tail -n 1 | tr -s ' ' | cut -d ' ' -f 4": "3729608404992",
    "sudo nvidia-spark-ota-check torn-score": '{ "name": "OTA2609", "torn": 0 }',
    "test -e /dev/nvidia0 && test -e /dev/nvidia-uvm && echo there": "there",
    "test -e /etc/edgeops-lab && echo simulated": "simulated",
    "getent group video render | cut -d : -f 1": "video\nrender",
}


@pytest.mark.parametrize("line", SPARK)
def test_a_spark_answers_like_the_box(lab, line):
    assert lab.host("spark-01").said(line) == SPARK[line]


JETSONS = {
    "thor-01": ("NVIDIA Jetson AGX Thor Developer Kit", "NVIDIA Thor, 11.0", "R39 (release), REVISION: 2.0"),
    "orin-01": ("NVIDIA Jetson AGX Orin Developer Kit", "Orin (nvgpu), 8.7", "R39 (release), REVISION: 2.0"),
}


@pytest.mark.parametrize("name", JETSONS)
def test_a_jetson_is_known_by_its_model_its_gpu_and_its_release(lab, name):
    host = lab.host(name)
    model, gpu, release = JETSONS[name]
    assert host.said("tr -d '\\0' < /sys/firmware/devicetree/base/model") == model
    assert host.said("nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader") == gpu
    assert release in host.said("cat /etc/nv_tegra_release")
    assert host.said("nvpmodel -q") == "NV Power Mode: MAXN\n0"
    assert (
        host.said("dpkg-query -W -f '${Version}' nvidia-jetpack python3-libnvinfer") == "7.2-b18710.16.2.10-1+cuda13.2"
    )
    lab.drop(name)


def test_another_power_mode_of_a_jetson_stays_set(lab):
    host = lab.host("thor-02")
    host.said("sudo nvpmodel -m 1")
    assert host.said("nvpmodel -q") == "NV Power Mode: 120W\n1"
    assert host.ssh("sudo nvpmodel -m 7").returncode == 1
    lab.drop("thor-02")


def test_the_held_tensorrt_packages_are_the_installed_ones(lab):
    host = lab.host("spark-01")
    installed = host.said("dpkg-query -W -f '${Package}\\n' 'libnvinfer*' 'libnvonnxparsers*' 'python3-libnvinfer*'")
    assert sorted(host.said("apt-mark showhold").split()) == sorted(installed.split())


def test_two_hosts_have_their_own_keys_and_machine_ids(lab):
    first, second = lab.host("spark-01"), lab.host("spark-02")
    for file in ("/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub", "/etc/hostname"):
        assert first.said(f"cat {file}") != second.said(f"cat {file}")
    lab.drop("spark-02")


FAULTS = {
    "tensorrt-11": ("/usr/bin/python3 -c 'import tensorrt; print(tensorrt.__version__)'", 0, "11.4.0.106"),
    "no-tensorrt": ("/usr/bin/python3 -c 'import tensorrt'", 1, "No module named 'tensorrt'"),
    "no-cudart": ("""/usr/bin/python3 -c 'import ctypes.util as u; print(u.find_library("cudart"))'""", 0, "None"),
    "cudart-12": (
        """/usr/bin/python3 -c 'import ctypes.util as u; print(u.find_library("cudart"))'""",
        0,
        "libcudart.so.12",
    ),
    "sudo-password": ("sudo -n true", 1, "a password is required"),
    "no-sudo": ("echo lab | sudo -S true", 1, "incorrect password attempt"),
    "low-memory": ("grep MemAvailable /proc/meminfo", 0, "6291456 kB"),
    "full-disk": ("df -PB1 /var/lib", 0, "1610612736"),
    "oem-name": ("cat /sys/class/dmi/id/product_name", 0, "GX10"),
    "no-venv": ("python3 -c 'import ensurepip'", 1, "No module named 'ensurepip'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_host_shows_its_fault(lab, fault):
    line, code, text = FAULTS[fault]
    answer = lab.host("faulty", fault).ssh(line)
    lab.drop("faulty")
    assert (answer.returncode, text in answer.stdout + answer.stderr) == (code, True), answer


def test_the_password_of_a_host_with_sudo_password_is_lab(lab):
    host = lab.host("asking", "sudo-password")
    assert host.ssh("sudo -S id -un", stdin="lab\n").stdout.strip() == "root"
    lab.drop("asking")


def test_a_host_without_venv_can_install_it_without_a_network(lab):
    host = lab.host("bare", "no-venv")
    host.said("sudo apt-get update && sudo apt-get install -y --no-install-recommends python3-venv")
    assert host.said("python3 -m venv /tmp/venv && /tmp/venv/bin/python -c 'print(1)'").endswith("1")
    lab.drop("bare")

"""What a host is asked: one line of POSIX shell a probe, grouped in lanes that run side by side.

Ids and answers are those of the snapshot format; saved snapshots stay readable only as long as these stay.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

PYTHON = "/usr/bin/python3"
"""The distribution's interpreter: the only one that the distribution's TensorRT bindings are built for."""

UNIT_PROPERTIES = (
    "LoadState,ActiveState,SubState,MainPID,NRestarts,Result,ExecMainStatus,ActiveEnterTimestamp,"
    "InactiveEnterTimestamp,UnitFileState,FragmentPath,DropInPaths,NeedDaemonReload,MemoryCurrent,User"
)
"""No ``Environment`` and no ``ExecStart``: an administrator may have put a secret there."""


@dataclass(frozen=True)
class Probe:
    """One question. ``limit`` is its own time limit in seconds; ``$AS_ROOT`` in ``code`` is ``sudo -n`` or nothing.

    ``path``: the file that ``code`` shows and does nothing else, so that no process is needed to read it.
    """

    id: str
    code: str
    limit: int = 5
    path: str = ""


def _file(name: str, path: str) -> Probe:
    return Probe(name, f"exec cat {path}", 3, path)


def _python(name: str, program: str, limit: int = 10, flags: str = "-ISB") -> Probe:
    """``-S``: without the distribution's packages it starts in half the time."""
    return Probe(name, f"exec {PYTHON} {flags} -c {shlex.quote(program.strip())}", limit)


_PYTHON_LINES = """
import sys
from importlib.util import find_spec
print("Python %d.%d.%d" % sys.version_info[:3])
for name in ("venv", "ensurepip"):
    print(name, "ok" if find_spec(name) else "missing")
"""

_TENSORRT = """
import sys, traceback
try:
    import tensorrt
    print(tensorrt.__version__)
except BaseException as error:
    sys.stderr.write(traceback.format_exception_only(type(error), error)[-1])
    sys.exit(1)
"""

_EDGEOPS_JSON = """
import json, os
def lines(name):
    return [line for line in os.environ.get(name, "").splitlines() if line]
def state():
    try:
        return json.loads(os.environ.get("STATE", ""))
    except ValueError:
        return None
def models():
    pairs = [line.split("\t", 1) for line in lines("MODELS")]
    sizes = {os.path.basename(pair[1]): int(pair[0]) for pair in pairs[:-1] if len(pair) == 2}
    return sizes if pairs else None
unit = dict(line.split("=", 1) for line in lines("UNIT") if "=" in line)
known = unit.get("LoadState", "not-found") != "not-found"
print(json.dumps({"state": state(), "unit": unit if known else None, "current": os.environ.get("CURRENT") or None,
                  "models": models()}))
"""

_EDGEOPS = f"""
STATE=$(cat /var/lib/edgeops/state.json 2>/dev/null || $AS_ROOT cat /var/lib/edgeops/state.json 2>/dev/null)
UNIT=$(systemctl show trtedge --no-pager -p {UNIT_PROPERTIES} 2>/dev/null)
CURRENT=$(readlink /opt/edgeops/current)
MODELS=$($AS_ROOT du -b -d 1 /var/lib/trtedge/models 2>/dev/null)
export STATE UNIT CURRENT MODELS
"""

# Who holds dpkg's lock is read from /proc/locks, which needs no root. It shows device and inode; overlay file systems
# show another device there than stat does, so only the inode is compared.
_APT_STATE = r"""
if [ -e /var/run/reboot-required ]; then echo reboot_required=yes; else echo reboot_required=no; fi
holder=
for file in /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock; do
    inode=$(stat -c %i "$file" 2>/dev/null) || continue
    pid=$(awk -v inode="$inode" '$2 == "POSIX" && $4 == "WRITE" && $5 > 0 {
        split($6, id, ":"); if (id[3] == inode) { print $5; exit } }' /proc/locks 2>/dev/null)
    if [ -n "$pid" ]; then holder="$pid $(cat "/proc/$pid/comm" 2>/dev/null)"; break; fi
done
echo "dpkg_lock=${holder:-free}"
echo audit:
exec dpkg --audit
"""

_OTA = """
command -v nvidia-spark-ota-check >/dev/null || { echo 'nvidia-spark-ota-check: not installed' >&2; exit 127; }
exec $AS_ROOT nvidia-spark-ota-check torn-score
"""

_LSPCI = r"""
devices=$(lspci -n) || exit $?
printf '%s\n' "$devices" | grep -i '10de:'
exit 0
"""

_DPKG = r"exec dpkg-query -W -f='${Package}\t${Status}\t${Version}\n'"

SUDO = Probe("sudo", '[ "$(id -u)" = 0 ] || exec sudo -n true')
"""Asked first, alone: the others learn from it whether ``sudo -n`` may be used. Root passes without sudo."""

LANES: tuple[tuple[Probe, ...], ...] = (
    (
        _file("os_release", "/etc/os-release"),
        _file("dgx_release", "/etc/dgx-release"),
        _file("fastos_release", "/etc/fastos-release"),
        _file("nv_tegra_release", "/etc/nv_tegra_release"),
        _file("product_name", "/sys/class/dmi/id/product_name"),
        Probe(
            "device_tree_model",
            "cat /proc/device-tree/model 2>/dev/null || exec cat /sys/firmware/devicetree/base/model",
        ),
        Probe("uname", "exec uname -srm"),
        Probe("glibc", "exec getconf GNU_LIBC_VERSION"),
        Probe("driver_module", "cat /sys/module/nvidia/version 2>/dev/null || exec cat /proc/driver/nvidia/version"),
        _file("cuda_version_json", "/usr/local/cuda/version.json"),
        _file("meminfo", "/proc/meminfo"),
        _file("cmdline", "/proc/cmdline"),
    ),
    (
        Probe("groups", "exec getent group video render"),
        Probe("df", "exec df -PB1 / /opt /var/lib /tmp"),
        Probe("ldconfig", "exec ldconfig -p"),
        Probe("ports", "exec $AS_ROOT ss -Hltnp"),
        Probe("clock", "timedatectl show -p NTPSynchronized -p TimeUSec; exec date +%s"),
    ),
    (
        _python("python", _PYTHON_LINES),
        _python("find_cudart", 'import ctypes.util\nprint(ctypes.util.find_library("cudart"))'),
        Probe("edgeops", _EDGEOPS + _python("", _EDGEOPS_JSON).code, 10),
    ),
    (_python("tensorrt_python", _TENSORRT, 30, "-IB"),),
    (
        Probe(
            "nvidia_smi",
            "exec nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv",
            15,
        ),
    ),
    (
        Probe(
            "gpu_users", "exec nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader", 15
        ),
    ),
    (
        Probe("lspci_gpu", _LSPCI, 10),
        Probe("nvcc", "exec /usr/local/cuda/bin/nvcc --version", 10),
        Probe("nvpmodel", "exec nvpmodel -q", 10),
        Probe("ota_torn", _OTA, 15),
    ),
    (
        Probe("dpkg_tensorrt", _DPKG + " 'libnvinfer*' 'libnvonnxparsers*' 'python3-libnvinfer*' 'tensorrt*'"),
        Probe("dpkg_jetpack", _DPKG + " nvidia-jetpack nvidia-l4t-core"),
    ),
    (Probe("apt_hold", "exec apt-mark showhold", 15),),
    (Probe("apt_state", _APT_STATE, 15),),
)

PROBES: tuple[Probe, ...] = (SUDO, *(probe for lane in LANES for probe in lane))
IDS = frozenset(probe.id for probe in PROBES)

"""The ordered list of requirements: id, reason and rule. The order is that in which a person would put things right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edgeops.requirements import cuda, disk, gpu, machine, memory, port, serving, tensorrt, upkeep
from edgeops.requirements.case import Case
from edgeops.requirements.verdict import Finding


def _everywhere(_: Case) -> bool:
    return True


def _on_jetson(case: Case) -> bool:
    return case.jetson


@dataclass(frozen=True)
class Requirement:
    """A rule. ``why`` is one sentence for somebody who meets it for the first time."""

    id: str
    why: str
    judge: Callable[[Case], Finding]
    applies: Callable[[Case], bool] = _everywhere


REQUIREMENTS: tuple[Requirement, ...] = (
    Requirement("host.sudo", "Installing a service takes root.", machine.sudo),
    Requirement("host.platform", "The wheel holds code for a few machines only.", machine.platform),
    Requirement("host.os", "The vendor builds and tests on this system.", machine.operating_system),
    Requirement("host.arch", "The wheel holds code for this processor only.", machine.architecture),
    Requirement("host.glibc", "With an older C library pip finds no wheel that fits.", machine.glibc),
    Requirement("host.python", "The bindings of TensorRT belong to the distribution's own Python.", machine.python),
    Requirement("host.clock", "With a wrong clock, certificates and package lists are not valid.", machine.clock),
    Requirement("host.memory", "GPU and programs share this memory.", memory.memory),
    Requirement("host.disk", "Release, model and engines take room, and a full disk stops them half-way.", disk.disk),
    Requirement("host.port", "The server opens its port only after a long build, and dies if it is taken.", port.port),
    Requirement(
        "host.groups", "The service joins these groups to reach the GPU; systemd refuses unknown ones.", upkeep.groups
    ),
    Requirement("host.updates", "An update under way changes the ground below an install.", upkeep.updates),
    Requirement("host.power", "A saving power mode costs tokens per second.", upkeep.power, _on_jetson),
    Requirement(
        "host.gpu_users", "Another process on the GPU takes memory and disturbs every measurement.", upkeep.gpu_users
    ),
    Requirement("gpu.driver", "A library that does not match the loaded driver cannot use the GPU.", gpu.driver),
    Requirement("gpu.capability", "Engines and kernels are built for one GPU architecture.", gpu.capability),
    Requirement(
        "gpu.payload", "The wheel starts only if exactly one of its native payloads fits the host.", gpu.payload
    ),
    Requirement("cuda.runtime", "The wheel loads the first libcudart that the loader knows.", cuda.runtime),
    Requirement(
        "cuda.toolkit", "Serving needs no toolkit; one of another major hints at a mixed install.", cuda.toolkit
    ),
    Requirement(
        "tensorrt.python", "The engine is built and run by TensorRT, through its Python bindings.", tensorrt.python
    ),
    Requirement(
        "tensorrt.version", "Engines and the wheel's plugins are qualified with this version.", tensorrt.version
    ),
    Requirement(
        "tensorrt.consistent", "A half-upgraded TensorRT builds engines that it cannot load.", tensorrt.consistent
    ),
    Requirement("tensorrt.held", "An unattended upgrade of TensorRT makes every built engine useless.", tensorrt.held),
    Requirement("model.precision", "A GPU without FP4 and FP8 cannot run such a model.", serving.precision),
    Requirement(
        "model.memory", "Without enough memory the host freezes instead of ending a process.", memory.model_memory
    ),
    Requirement("settings.speculation", "The server checks these only after a long engine build.", serving.speculation),
)

IDS = tuple(requirement.id for requirement in REQUIREMENTS)

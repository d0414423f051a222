"""Groups, packages and holds that a host lacks. Nothing of driver, kernel, firmware or CUDA: what apt would do was
looked at before, and it may not remove anything."""

from pyinfra import host
from pyinfra.operations import server

from edgeops.preparation.apt import install_command
from edgeops.quoting import shell

for group in host.data.edgeops_groups:
    server.group(name=f"group {group}", group=group, system=True, _sudo=True)
if host.data.edgeops_packages:
    # pyinfra 3.10's apt.packages would leave out what is installed already: not the call that was simulated.
    server.shell(
        name="packages",
        commands=[install_command(host.data.edgeops_packages)],
        _sudo=True,
        _timeout=1800,
    )
if host.data.edgeops_holds:
    server.shell(name="hold", commands=[shell("apt-mark", "hold", *host.data.edgeops_holds)], _sudo=True)

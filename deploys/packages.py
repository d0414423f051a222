"""python3-venv, without which no virtual environment can be made. Nothing of the driver, the kernel or CUDA, ever."""

from pyinfra.operations import apt

apt.packages(
    name="python3-venv",
    packages=["python3-venv"],
    update=True,
    cache_time=3600,
    no_recommends=True,
    # Ubuntu's timers hold the lock at boot; pyinfra 3.10 does not wait for it.
    extra_install_args="-o DPkg::Lock::Timeout=300",
    _sudo=True,
    _timeout=1200,
)

from gevent import monkey

monkey.patch_all()

from hypothesis import HealthCheck, settings  # noqa: E402  gevent has to be patched in before anything else

# A noisy machine draws its first examples slowly, more so in a fresh checkout; that says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

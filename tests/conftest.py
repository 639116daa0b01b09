"""What holds for all tests."""

from hypothesis import settings

# A busy machine makes any single example slow; pytest's own timeout catches what hangs.
settings.register_profile("kvtrace", deadline=None)
settings.load_profile("kvtrace")

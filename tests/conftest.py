"""What holds for all tests."""

import os

from hypothesis import settings

# A busy machine makes any single example slow; pytest's own timeout catches what hangs.
settings.register_profile("kvtrace", deadline=None)
# A change is judged by what it changed: the same examples each time. Who works here meets new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "kvtrace"))

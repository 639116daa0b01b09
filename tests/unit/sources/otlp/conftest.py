"""What several tests of the receiver need."""

import pytest

from kvtrace.sources.otlp.http_routes import Routes
from tests.unit.sources.otlp.test_http_routes import Site


@pytest.fixture
def routes() -> Routes:
    return Site().routes

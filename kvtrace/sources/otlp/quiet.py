"""gRPC with its own log off: it would be written into the screen, a line for each bad client."""

import os

# gRPC looks at it when it is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio

__all__ = ["grpc"]

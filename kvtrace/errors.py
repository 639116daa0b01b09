"""What kvtrace raises when something outside it is wrong."""


class KvtraceError(Exception):
    """Something a person can mend; the message says what happened, where, and what to do."""


class WireError(KvtraceError):
    """Bytes or attributes are not an event."""


class UnknownKindError(WireError):
    """An event of a kind that this version does not know; a newer kvtrace wrote it."""


class BlackBoxError(KvtraceError):
    """A file is not a black box, or one of another version, or cannot be opened."""


class RecordingError(KvtraceError):
    """A file is not a recording, or one of a newer version, or cannot be opened or written."""


class ReceiverError(KvtraceError):
    """OTLP cannot be received or passed on: a port, a certificate, or an address is wrong."""


class ExportError(KvtraceError):
    """Signals cannot be sent as the environment says, or nobody says where to."""

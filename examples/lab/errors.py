"""What the lab says when it cannot go on."""


class LabError(Exception):
    """A sentence for the person: what happened, and what to do."""


class PortTakenError(LabError):
    """Somebody else listens where we were told to."""


class EngineDiedError(LabError):
    """An engine ended, or never came up."""

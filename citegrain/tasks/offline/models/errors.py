"""The error for whatever is wrong with a model."""


class ModelError(RuntimeError):
    """A model cannot be found, or is not the one that was asked for; the message says what to do."""

"""The error for whatever is wrong with a model."""

from citegrain.tasks.core.errors import Expected


class ModelError(RuntimeError, Expected):
    """A model cannot be found, or is not the one that was asked for; the message says what to do."""

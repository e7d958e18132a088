"""Model weights: found, checked by digest, and only then loaded."""

from tasks.models.adapters import ADAPTER, CONFIG, DESCRIPTION, DOWN, NEW, UP, WEIGHTS, WHOLE, Adapter
from tasks.models.encoder import Encoder, EncoderSettings, TextEncoder, TwoEncoders
from tasks.models.errors import ModelError
from tasks.models.tokenizer import Tokenizer
from tasks.models.weights import SHIPPED, ModelFiles, find_model

__all__ = [
    "ADAPTER",
    "CONFIG",
    "DESCRIPTION",
    "DOWN",
    "NEW",
    "SHIPPED",
    "UP",
    "WEIGHTS",
    "WHOLE",
    "Adapter",
    "Encoder",
    "EncoderSettings",
    "ModelError",
    "ModelFiles",
    "TextEncoder",
    "Tokenizer",
    "TwoEncoders",
    "find_model",
]

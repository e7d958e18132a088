"""Model weights: found, checked by digest, and only then loaded."""

from tasks.models.encoder import Encoder, EncoderSettings
from tasks.models.tokenizer import Tokenizer
from tasks.models.weights import ModelError, ModelFiles, find_model

__all__ = ["Encoder", "EncoderSettings", "ModelError", "ModelFiles", "Tokenizer", "find_model"]

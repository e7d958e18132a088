"""Model weights: located, checked by digest, and only then loaded."""

from citegrain.tasks.offline.models.adapters import (
    ADAPTER,
    DESCRIPTION,
    DOWN,
    FULL,
    NEW,
    UP,
    WEIGHTS,
    Adapter,
    ModelError,
    checked_bytes,
    read_learned,
)
from citegrain.tasks.offline.models.api import ApiConfig, ApiEncoder, ApiModel, api_model
from citegrain.tasks.offline.models.encoder import (
    FEW,
    Encoder,
    EncoderSettings,
    Matrix,
    Tokenizer,
    TokenMatrix,
    TwoEncoders,
    in_bf16,
)
from citegrain.tasks.offline.models.onnx_bert import OnnxBert, begun, in_parts
from citegrain.tasks.offline.models.weights import SHIPPED, ModelFiles, find_model, is_packaged

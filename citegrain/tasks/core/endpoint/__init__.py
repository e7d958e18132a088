"""A language model behind an OpenAI-compatible endpoint: calls, limits, replies by schema, kept by prompt."""

from citegrain.tasks.core.endpoint.client import ModelReply, ask_model, cached_replies, reply_rows
from citegrain.tasks.core.endpoint.config import (
    RESPONSE_FORMATS,
    CallConfig,
    Endpoint,
    EndpointError,
    Messages,
    ReplyModel,
    ReplySchema,
    messages_of,
)
from citegrain.tasks.core.endpoint.parser import Unparsable, parse_reply

"""A language model behind an OpenAI-compatible endpoint: calls, limits, replies by schema, kept by prompt."""

from citegrain.tasks.core.endpoint.batch import (
    REPLIES,
    BatchPending,
    ModelReply,
    pending_requests,
    read_replies,
)
from citegrain.tasks.core.endpoint.client import ask_model, cached_replies, kept_replies, reply_rows
from citegrain.tasks.core.endpoint.config import (
    AZURE,
    BACKENDS,
    BATCH,
    LIVE,
    MODES,
    OLLAMA,
    OPENAI,
    RECORDED,
    RESPONSE_FORMATS,
    CallConfig,
    Endpoint,
    EndpointError,
    Messages,
    PlainText,
    ReplyModel,
    Usage,
    messages_of,
    metered,
)
from citegrain.tasks.core.endpoint.parser import Shown, Unparsable, add_lists, parse_reply, write_lists
from citegrain.tasks.core.endpoint.vendors import VENDORS, VendorConfig, embed_texts, score_texts

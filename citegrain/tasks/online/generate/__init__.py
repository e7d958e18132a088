"""Stage ``generate``: selected provisions to an answer of a fixed schema."""

from citegrain.tasks.online.generate.config import (
    PROSE,
    TEMPLATES,
    AnswerSchema,
    GenerateConfig,
    answer_schema,
)
from citegrain.tasks.online.generate.prose import (
    CITATION,
    REFUSED,
    Context,
    Support,
    Surroundings,
    cited_numbers,
    contexts_of,
    extracts,
    references_of,
)
from citegrain.tasks.online.generate.stage import STAGE, Generated, extract, generate

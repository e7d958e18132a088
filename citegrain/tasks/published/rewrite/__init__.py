"""Stage ``rewrite``: other texts that are searched for a complaint, from it and from what it found."""

from citegrain.tasks.published.rewrite.rules import Hint, sentences
from citegrain.tasks.published.rewrite.steps import STAGE, make_rewrites, steps

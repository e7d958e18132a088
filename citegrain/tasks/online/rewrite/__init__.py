"""Stage ``rewrite``: other texts that are searched for a complaint, from it and from what it found."""

from citegrain.tasks.online.rewrite.rules import HINTED, Hint, sentences
from citegrain.tasks.online.rewrite.stage import STAGE, make_rewrites

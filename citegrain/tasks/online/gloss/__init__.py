"""Questions in Hindi, in its script or in Latin letters, read as English."""

from citegrain.tasks.online.gloss.language import ENGLISH, HINDI, HINGLISH, language_of
from citegrain.tasks.online.gloss.vocabulary import Glosses

__all__ = ["ENGLISH", "HINDI", "HINGLISH", "Glosses", "language_of"]

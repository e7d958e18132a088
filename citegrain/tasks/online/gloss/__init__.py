"""Questions in Hindi, in its script or in Latin letters, read as English."""

from citegrain.tasks.online.gloss.vocabulary import ENGLISH, HINDI, HINGLISH, Glosses, language_of

__all__ = ["ENGLISH", "HINDI", "HINGLISH", "Glosses", "language_of"]

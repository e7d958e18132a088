"""Stage ``translate``: passages in another language to English, for search alone."""

from citegrain.tasks.offline.translate.stage import STAGE, TranslateConfig, Translator

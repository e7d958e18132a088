"""Documents that are no PDF: their blocks, with what styles and tags say of them, as pages of segments."""

from citegrain.tasks.offline.parse.formats.plain import verbatim
from citegrain.tasks.offline.parse.formats.reading import check_ending, read_styled

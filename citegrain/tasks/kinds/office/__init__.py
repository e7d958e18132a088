"""Documents that are no PDF: their blocks, with what styles and tags say of them, as pages of segments."""

from citegrain.tasks.kinds.office.forms import verbatim
from citegrain.tasks.kinds.office.reading import read
from citegrain.tasks.offline.document import DocumentKind

KIND = DocumentKind("office", 50, forms=("pdf", "docx", "pptx", "xlsx", "html", "plain"), read=read)

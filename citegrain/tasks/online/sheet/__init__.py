"""An answer as one page: each provision with the page of the PDF on which it stands."""

from citegrain.tasks.online.sheet.picture import Picture, PictureError, draw_page
from citegrain.tasks.online.sheet.sheet import make_sheet

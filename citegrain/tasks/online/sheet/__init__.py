"""An answer as one page: each provision with the page of the PDF on which it stands."""

from citegrain.tasks.online.sheet.neighbours import labels, neighbours_picture, short_titles
from citegrain.tasks.online.sheet.picture import Picture, PictureError, draw_page
from citegrain.tasks.online.sheet.sheet import make_neighbourhood, make_sheet

"""Designs of studies: factors, the cells in which their levels meet, and contrasts of levels."""

from citegrain.tasks.evaluation.design.cells import Design, DesignError, fraction, full
from citegrain.tasks.evaluation.design.contrasts import Contrast, dummies, interaction, interactions, main

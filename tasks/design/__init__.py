"""Designs of studies: factors, the cells in which their levels meet, and contrasts of levels."""

from tasks.design.cells import Design, DesignError, fraction, full
from tasks.design.contrasts import Contrast, interaction, interactions, main

__all__ = ["Contrast", "Design", "DesignError", "fraction", "full", "interaction", "interactions", "main"]

"""The stages of citegrain: pure functions from tables to tables.

One package is one stage. Beside them stand the modules every stage shares:
``schemas`` (the tables that cross a border), ``tables`` (reading and writing
them), ``stage`` (what a stage is), ``store`` (artefacts named by digest) and
``build`` (the reader of a published build).
"""

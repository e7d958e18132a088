"""Flows: which stage feeds which. The only place that knows Prefect and Hydra."""

"""How far labelling passes of a benchmark agree, with intervals."""

from citegrain.tasks.evaluation.agreement.measures import Agreement, agree, astray, differing, lacking

__all__ = ["Agreement", "agree", "astray", "differing", "lacking"]

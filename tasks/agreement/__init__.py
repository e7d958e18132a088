"""How far labelling passes of a benchmark agree, with intervals."""

from tasks.agreement.measures import Agreement, agree, astray, differing, lacking

__all__ = ["Agreement", "agree", "astray", "differing", "lacking"]

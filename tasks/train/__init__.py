"""What encoders learn from: lay texts of provisions, and what keeps them apart from the benchmarks."""

from tasks.train.duplicates import nearest, shared_runs
from tasks.train.texts import STYLES, LayQueries, Story, read_lay_queries, read_stories

__all__ = ["STYLES", "LayQueries", "Story", "nearest", "read_lay_queries", "read_stories", "shared_runs"]

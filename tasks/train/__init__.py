"""What encoders learn from: lay texts of provisions."""

from tasks.train.texts import STYLES, LayQueries, Story, read_lay_queries, read_stories

__all__ = ["STYLES", "LayQueries", "Story", "read_lay_queries", "read_stories"]

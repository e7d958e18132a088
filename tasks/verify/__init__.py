"""Stage ``verify``: each citation of an answer checked against the build."""

from tasks.verify.config import VerifyConfig
from tasks.verify.stage import STAGE, STATUSES, verify

__all__ = ["STAGE", "STATUSES", "VerifyConfig", "verify"]

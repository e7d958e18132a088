"""Stage ``verify``: each citation of an answer checked against the build."""

from citegrain.tasks.online.verify.stage import STAGE, VerifyConfig, verify

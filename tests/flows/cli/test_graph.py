"""What ``citegrain graph`` says where there is too little to show."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.prefect, pytest.mark.xdist_group("commands")]

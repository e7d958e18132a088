"""From a complaint to an answer."""

"""What runs until it is stopped: the schedule, servers, pages."""

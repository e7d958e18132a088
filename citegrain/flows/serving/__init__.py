"""What runs on and on: schedules, servers, pages."""

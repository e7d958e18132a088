"""What the flows share: settings, progress, errors, Prefect."""

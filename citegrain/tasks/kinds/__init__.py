"""Documents that are no Act: a module or a package each, which the main packages find by name."""

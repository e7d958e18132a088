"""Documents that are no Act: a module or a package each. The core finds them by name and imports none."""

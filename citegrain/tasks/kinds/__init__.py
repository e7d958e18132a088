"""Documents that are no Act, a package each. The core never imports them: it finds plug-ins by name."""

"""What only the preset of a published system uses. The core never imports it: it finds plug-ins by name."""

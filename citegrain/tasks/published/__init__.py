"""What only the preset of a published system uses. The main packages find it by name, and never import it."""

"""What an artefact is: schemas, keys, the store, tables, runs."""

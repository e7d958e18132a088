"""Who reads headings that the patterns miss: what ``structure.headings`` may name, a file each."""

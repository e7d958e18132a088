"""Channel ``dense``: chunks by the vectors of their texts."""

from citegrain.tasks.online.retrieve.lay import nearest_chunks

dense = nearest_chunks

"""Stage ``graph``: what cites, amends, replaces, derives from and overrules what, of all documents."""

from citegrain.tasks.offline.graph.stage import CORPUS_STAGE, STAGE, make_graph

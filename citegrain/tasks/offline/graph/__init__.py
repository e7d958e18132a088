"""Stage ``graph``: what cites, amends, replaces, derives from and overrules what, of all documents."""

from citegrain.tasks.offline.graph.export import FORMATS, GRAPHML, export, neighbourhood, nodes_of
from citegrain.tasks.offline.graph.judged import Fall, Judged
from citegrain.tasks.offline.graph.matrix import BOTH, LAW, Graph, pagerank
from citegrain.tasks.offline.graph.stage import CORPUS_STAGE, STAGE, make_graph
from citegrain.tasks.offline.graph.surroundings import Around, Link, around

"""The graph of a build, read: who is near whom, which judgments stand out, and what is shown of it."""

from citegrain.tasks.online.graph.nearness import LAW, CaseLaw, Graph, case_law, pagerank
from citegrain.tasks.online.graph.surroundings import (
    FORMATS,
    Link,
    Neighbourhood,
    around,
    export,
    neighbourhood,
    nodes_of,
)

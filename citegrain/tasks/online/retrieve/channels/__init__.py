"""The channels: a file each, with a function of the same name.

A channel takes the build, rows of ``queries`` and a mask of the chunks that may be returned (bool, shape
(searched chunks,)). It returns the ranked chunks of each query. A parameter ``vectors`` is given the vector
of each query, shape (queries, dimension); a parameter ``first_pass`` behind it is given, by query, what
the channels without one found, joined by ranks. Keyword-only parameters are fields of ``RetrieveConfig`` or
of its ``options``; the key of the run holds them.
"""

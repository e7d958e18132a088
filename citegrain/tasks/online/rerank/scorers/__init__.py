"""The scorers: a file each, with a function of the same name that makes one for a build.

The keyword-only parameters of the function are fields of ``RerankConfig`` or of its ``options``.
"""

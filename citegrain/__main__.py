"""``python -m citegrain``: the same as the console script ``citegrain``."""

from citegrain.flows.cli.main import main

if __name__ == "__main__":
    main()

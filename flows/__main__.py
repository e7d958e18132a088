"""``python -m flows``: the same as the console script ``citegrain``."""

from flows.cli import main

if __name__ == "__main__":
    main()

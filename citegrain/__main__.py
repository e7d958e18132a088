"""``citegrain``, and ``python -m citegrain``: Ctrl-C is seen to before any library is there."""

from citegrain.flows.cli.stopping import stop_on_interrupt


def main() -> None:
    """Entry point of the console script."""
    stop_on_interrupt()
    from citegrain.flows.cli.main import main as run

    run()


if __name__ == "__main__":
    main()

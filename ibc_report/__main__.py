"""Run the command line as `python -m ibc_report`."""

from ibc_report.cli.app import main

if __name__ == "__main__":
    main()

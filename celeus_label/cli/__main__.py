"""`python -m celeus_label.cli`, the same as `celeus-label`."""

from celeus_label.cli import main

main()

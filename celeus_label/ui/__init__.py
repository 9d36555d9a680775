"""What the pages are built of: the server, sign-in, the rating card, charts, words."""

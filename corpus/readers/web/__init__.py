"""Documents of the web and of mail."""

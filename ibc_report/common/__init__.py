"""What every room may use: errors, files, text, the Hub's client."""

"""Reports leave for elsewhere: a section of a dataset's card on the Hub."""

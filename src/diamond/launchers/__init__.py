"""What starts the program on its node."""

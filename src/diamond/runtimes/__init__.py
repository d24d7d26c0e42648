"""What a program runs inside."""

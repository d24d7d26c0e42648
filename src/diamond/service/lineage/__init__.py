"""What came from what: tasks, the code, images and data they used, and what they made."""

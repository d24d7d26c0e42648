"""Data from elsewhere: HTTP, S3, git and the Hugging Face hub. Standard library only; runs on the endpoint, as the person."""

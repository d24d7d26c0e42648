"""Complete example jobs that come with Diamond."""

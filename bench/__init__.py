"""Every speed claim with its script: `python -m bench [NAME…]`."""

"""The link to the service: carriers, session, reconnect, pairing, lease."""

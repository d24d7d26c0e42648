"""Notifications: kept with what caused them, sent once."""

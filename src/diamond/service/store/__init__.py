"""The record: tables, and the questions asked of them. One file per aggregate."""

"""Previews of files: made by a small job on the endpoint. Libraries are imported where they are used, since most machines lack them."""

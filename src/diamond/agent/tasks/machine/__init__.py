"""All decisions about attempts, as pure functions: no files, no clock, no network.

Facts and `now` come in as values; the next state, the events to report and what to do come out. `attempts.py` and
`chains.py` gather the facts, ask here, and carry the answers out.
"""

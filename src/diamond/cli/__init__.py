"""The command line: written on the SDK; it starts service, agent and lab as processes."""

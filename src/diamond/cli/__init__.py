"""The command line, built on the SDK; it starts service, agent and lab as processes."""

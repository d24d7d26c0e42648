"""The ways to start the processes of a run on its nodes, inside the job: standard library, Python 3.8."""

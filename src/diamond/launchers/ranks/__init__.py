"""What starts and watches the processes of one run, inside the job: standard library, Python 3.8."""

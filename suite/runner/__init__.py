"""The runner of the suite: asks a tester, judges its answers, and writes reports. Python's standard library only."""

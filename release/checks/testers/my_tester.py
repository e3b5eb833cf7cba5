"""Python's own tester."""
from urllib.robotparser import RobotFileParser


def allows(file, agent, url):
    parser = RobotFileParser()
    parser.parse(file.decode("utf-8", "replace").splitlines())
    return parser.can_fetch(agent, url)

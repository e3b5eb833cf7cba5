"""Google's parser, by PyPI jwm.robotstxt."""
from jwm.robotstxt.googlebot import RobotsMatcher


class File:
    """A file, parsed for some agents."""

    def __init__(self, data, agents):
        self.data, self.agents = data, agents
        self.matcher = RobotsMatcher()

    def allows(self, url):
        return self.matcher.AllowedByRobots(self.data, self.agents, url)

"""Google's parser, by PyPI jwm.robotstxt."""
from jwm.robotstxt.googlebot import RobotsMatcher


class File:
    """A file, parsed for some agents."""

    def __init__(self, data, agents):
        self.data, self.agents = data, agents
        self.matcher = RobotsMatcher()

    def allow(self, urls):
        return [self.allows(url) for url in urls]

    def allows(self, url):
        return self.matcher.AllowedByRobots(self.data, self.agents, url)

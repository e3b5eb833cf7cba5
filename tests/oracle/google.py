"""Google's parser, by PyPI jwm.robotstxt."""
from jwm.robotstxt.googlebot import RobotsMatcher


#: What is no plain name is called by the first name in it ([agent.any]). The parser compares the text that it is given.
CALLED = {"mybot/2.1": "mybot", "Foo Bar": "Foo"}


class File:
    """A file, parsed for some agents."""

    def __init__(self, data, agents):
        self.data, self.agents = data, [CALLED.get(agent, agent) for agent in agents]
        self.matcher = RobotsMatcher()

    def allow(self, urls):
        return [self.allows(url) for url in urls]

    def allows(self, url):
        return self.matcher.AllowedByRobots(self.data, self.agents, url)

"""Google's parser, by PyPI jwm.robotstxt, which compiles its C++."""
from jwm.robotstxt.googlebot import RobotsMatcher


def allows(data, agent, url):
    return RobotsMatcher().AllowedByRobots(data, [agent], url)

"""Groups: runs of agents, merging, rules outside of a group, the group for all."""
from ..vectors import Family


def make():
    runs()
    merging()
    outside()
    without_rules()
    fallback()


def runs():
    f = Family("groups.run", "record.run", "2.2.1", "group")
    f.add("User-agent: MyBot\nUser-agent: other\nDisallow: /\n", "/a", "The first of two agents has the rules.",
          "must disallow")
    f.add("User-agent: other\nUser-agent: MyBot\nDisallow: /\n", "/a", "The last of two agents has the rules.",
          "must disallow")
    f.add("User-agent: a\nUser-agent: MyBot\nUser-agent: b\nDisallow: /\n", "/a",
          "An agent in the middle has the rules.", "must disallow")
    f.add("User-agent: a\nUser-agent: b\nDisallow: /\n", "/a", "An agent that is not named has no rules.",
          "must allow")
    f.add("User-agent: MyBot\nDisallow: /a\nUser-agent: other\nDisallow: /b\n", "/b",
          "A rule ends the run: the next agent opens a group.", "must allow")
    f.add("User-agent: MyBot\nAllow: /a\nUser-agent: other\nDisallow: /b\n", "/b", "An Allow ends the run too.",
          "must allow")
    f.add("User-agent: other\nDisallow: /a\nUser-agent: MyBot\nDisallow: /b\n", "/a",
          "Rules of the group above are not MyBot's.", "must allow")
    f.add("User-agent: MyBot\n\nDisallow: /\n", "/a", "An empty line between agent and rule.", "must disallow",
          tags="blanks")
    f.add("User-agent: MyBot\n\nUser-agent: other\nDisallow: /\n", "/a", "An empty line between agents.",
          "must disallow", tags="blanks")
    f.add("User-agent: MyBot\n\n\n\nUser-agent: other\n\nDisallow: /\n", "/a", "Several empty lines between agents.",
          "must disallow", tags="blanks")
    f.add("User-agent: MyBot\n \t \nUser-agent: other\nDisallow: /\n", "/a", "A line of blanks between agents.",
          "must disallow", tags="blanks")
    f.add("User-agent: MyBot\nDisallow: /a\n\nDisallow: /b\n", "/b", "An empty line between rules ends no group.",
          "must disallow", tags="blanks")
    f.add("User-agent: MyBot\nDisallow: /a\n\n\nAllow: /a/b\n", "/a/b", "The same for an Allow.", "must allow",
          tags="blanks")
    f.add("User-agent: other\nDisallow: /a\n\nDisallow: /b\n\nUser-agent: *\nDisallow: /c\n", "/b",
          "An empty line does not hand rules to the next group.", "must allow", tags="blanks")
    f.add("User-agent: MyBot\nUser-agent: MyBot\nDisallow: /\n", "/a", "An agent may be named twice.",
          "must disallow")
    f.add("User-agent: *\nUser-agent: MyBot\nDisallow: /\n", "/a", "A run of the star and a name.", "must disallow")
    f.add("User-agent: *\nUser-agent: other\nDisallow: /\n", "/a", "A run of the star and another name.",
          "must disallow")
    f.add("User-agent: other\nUser-agent: *\nDisallow: /\n", "/a", "The same in the other order.", "must disallow")
    f.add("User-agent: *\nUser-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "A name in a run with the star has its other groups too.", "must disallow", tags="merging")


def merging():
    f = Family("groups.merge", "record.merge", "2.2.1", "merging group")
    two = "User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n"
    f.add(two, "/a", "Groups of one agent merge: the first counts.", "must disallow")
    f.add(two, "/b", "Groups of one agent merge: the second counts.", "must disallow")
    apart = "User-agent: MyBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\n\nUser-agent: mybot\nDisallow: /b\n"
    f.add(apart, "/a", "Groups merge over another group: the first counts.", "must disallow")
    f.add(apart, "/b", "Groups merge over another group: the second counts.", "must disallow", tags="case")
    f.add(apart, "/c", "The group between is not merged.", "must allow")
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot\nAllow: /a/b\n", "/a/b",
          "A longer Allow of the second group decides.", "must allow", tags="rank")
    f.add("User-agent: MyBot\nAllow: /a/b\n\nUser-agent: MyBot\nDisallow: /a\n", "/a/b",
          "A longer Allow of the first group decides.", "must allow", tags="rank")
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot\nAllow: /a\n", "/a",
          "Equal rules of two groups: the Allow should be used.", "may allow", tags="rank")
    f.add("User-agent: MyBot\nDisallow: /a\n\nUser-agent: MyBot\n", "/a", "The second group has no rules.",
          "must disallow", tags="empty")
    three = "".join(f"User-agent: MyBot\nDisallow: /{name}\n\n" for name in "abc")
    for name in "abc":
        f.add(three, f"/{name}/x", f"Three groups of one agent: /{name} counts.", "must disallow")
    f.add("User-agent: MyBot\nUser-agent: a\nDisallow: /a\n\nUser-agent: b\nUser-agent: MyBot\nDisallow: /b\n", "/a",
          "Groups of several agents merge for one: the first counts.", "must disallow")
    f.add("User-agent: MyBot\nUser-agent: a\nDisallow: /a\n\nUser-agent: b\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "Groups of several agents merge for one: the second counts.", "must disallow")
    f.add("User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/a",
          "Two groups for all: the RFC speaks of one.")
    f.add("User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "/b",
          "Two groups for all: the second of them.")
    f.add("User-agent: *\nDisallow: /a\n\nUser-agent: other\nDisallow: /c\n\nUser-agent: *\nDisallow: /b\n", "/c",
          "Two groups for all do not take the rules between them.", "must allow")


def outside():
    f = Family("groups.outside", "record.before-agent", "2.2.2", "group syntax")
    f.add("Disallow: /\n", "/a", "A rule without any group should be ignored.", "may allow")
    f.add("Disallow: /a\nUser-agent: *\nDisallow: /b\n", "/a", "A rule before the first group should be ignored.",
          "may allow")
    f.add("Disallow: /a\nUser-agent: *\nDisallow: /b\n", "/b", "The group after it counts.", "must disallow")
    f.add("Allow: /b/c\nUser-agent: *\nDisallow: /b\n", "/b/c", "An Allow before the first group should be ignored.",
          "may disallow")
    f.add("Disallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/a", "Rules outside are not MyBot's.", "must allow")
    f.add("Allow: /\nDisallow: /a\n", "/a", "Two rules without a group.", "may allow")
    f.add("Sitemap: https://example.com/s.xml\nDisallow: /a\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "Lines before the first group do not spoil it.", "must disallow", tags="other-records")


def without_rules():
    f = Family("groups.no-rules", "record.empty", "2.2.1", "group empty")
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: MyBot\n", "/a", "The last group may have no rules: all allowed.",
          "must allow")
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: other\n", "/a", "The empty group is another agent's.",
          "must disallow")
    f.add("User-agent: MyBot\n", "/a", "A group without rules alone.", "must allow")
    f.add("User-agent: MyBot\n\nUser-agent: *\nDisallow: /\n", "/a",
          "Agents without a rule between them are one group.", "must disallow")
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: MyBot\nCrawl-delay: 5\n", "/a",
          "The last group has other records only: all allowed.", "must allow", tags="other-records")
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: MyBot\n# Disallow: /\n", "/a",
          "The last group has a comment only: all allowed.", "must allow", tags="comment")
    f.add("User-agent: *\nDisallow: /\n\nUser-agent: MyBot\nUser-agent: other\n", "/a",
          "The last group has two agents and no rules.", "must allow")


def fallback():
    f = Family("groups.all", "agent.fallback", "2.2.1", "group agent")
    star = "User-agent: *\nDisallow: /a\n"
    own = "User-agent: MyBot\nDisallow: /b\n"
    f.add(star, "/a", "The group for all applies if no group names the agent.", "must disallow")
    f.add(star + "\n" + own, "/a", "The group for all does not apply to a named agent.", "must allow")
    f.add(own + "\n" + star, "/a", "The order of groups does not matter.", "must allow")
    f.add(star + "\n" + own, "/b", "A named agent has its own rules.", "must disallow")
    f.add(own + "\n" + star, "/b", "The same if the named group is first.", "must disallow")
    f.add(own, "/b", "Another agent is not named, and there is no group for all.", "must allow", agent="OtherBot")
    f.add(own + "\n" + star, "/b", "Another agent does not have MyBot's rules.", "must allow", agent="OtherBot")
    f.add(own + "\n" + star, "/a", "Another agent has the rules for all.", "must disallow", agent="OtherBot")
    f.add("User-agent: MyBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a", "One agent in, all others out: MyBot.",
          "must allow")
    f.add("User-agent: MyBot\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a", "One agent in, all others out: others.",
          "must disallow", agent="OtherBot")
    f.add("User-agent: MyBot\nAllow: /a/b\n\nUser-agent: *\nDisallow: /a\n", "/a/c",
          "Rules for all are no default for a named agent.", "must allow")

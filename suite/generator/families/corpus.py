"""The files of corpus/: some questions each, about agents that the file names and paths of its rules."""
import re

from .. import documents, judge
from ..vectors import HOST, Family
from .questions import agents, paths

LONGEST = 3000  # bytes: longer files are long on purpose, and `limits` and `hostile` have shorter ways to write them
# What a hazard of that number is about.
HAZARDS = {
    "01": ("record.other-lines", "2.2.4", "group other-records"), "02": ("path.stars", "2.2.3", "wildcard"),
    "03": ("path.literal", "2.2.3", "wildcard encoding"), "04": ("limit.wildcards", "2.2.3", "limits"),
    "05": ("limit.counts", "2.5", "limits"), "06": ("limit.counts", "2.5", "limits"),
    "07": ("limit.records", "2.5", "limits"), "08": ("input.bom", "2.3", "BOM"),
    "09": ("path.encode", "2.2", "controls encoding"), "10": ("line.end", "2.2", "CR"),
    "11": ("path.decode", "2.2.2", "encoding"), "12": ("path.anchor", "2.2.3", "anchor path"),
    "13": ("path.encode", "2.2.2", "encoding"), "14": ("path.decode", "2.2.2", "encoding"),
    "15": ("record.empty", "2.2.1", "group empty"), "16": ("record.before-agent", "2.2.2", "group"),
    "17": ("input.not-robots", "2.2", "not-robots"), "18": ("field.typo", "2.2.4", "typo syntax"),
    "19": ("agent.token", "2.2.1", "agent"), "20": ("ext.scope", "2.2.4", "other-records"),
    "21": ("value.crawl-delay", "2.2.4", "delay"), "22": ("line.fold", "2.2", "fold"),
    "23": ("record.merge", "2.2.1", "merging"),
}
OTHERS = ("field.syntax", "2.2", "syntax")


def make():
    for name, title, data in documents.load():
        if len(data) > LONGEST:
            continue
        folder, _, stem = name.removesuffix(".txt").partition("/")
        clause, section, tags = HAZARDS.get(stem[:2], OTHERS)
        slug = re.sub(r"[^a-z0-9]+", "-", f"{folder}-{stem}".lower())
        f = Family(f"corpus.{slug}", clause, section, f"corpus {tags}")
        shows = title.partition(" | ")[0].replace("seen in the wild: ", "")
        for agent, url in chosen(data):
            f.add(data, url, f"corpus/{name}: {shows}"[:160], agent=agent)


def chosen(data):
    """Questions with different answers: the first of each answer and level that the file gives."""
    kinds = {}
    for agent in agents(data):
        for url in paths(data):
            verdict = judge.verdict(data, agent, HOST + url)
            kinds.setdefault(verdict, (agent, url))
            if len(kinds) > 3:
                break
    return list(kinds.values())

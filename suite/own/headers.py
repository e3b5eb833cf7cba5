#!/usr/bin/env python3
"""Who finds the crawler's name in the real headers of suite/headers.ndjson: a table of scores.

  suite/own/headers.py [COMMAND]

A reader finds a name if it denies a page of a site whose only group, of the documented name, disallows everything; and
invents none if it allows the page where the only group is for a word of browsers and libraries. COMMAND is the command
robosieve; without it, robosieve is looked for on the path. What is not installed is left out: the packages robosieve and
protego for Python, Scrapy, and the package for JavaScript (bindings/wasm/build).
"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = [json.loads(line) for line in (ROOT / "suite/headers.ndjson").read_text().splitlines()]
URL = "https://shop.example/x"
OTHERS = ["Mozilla", "Chrome", "Safari", "python-requests", "compatible"]


def closed(name):
    return f"User-agent: {name}\nDisallow: /\n"


QUESTIONS = [(closed(row["token"]), row["header"]) for row in ROWS]
INVENTED = [(closed(other), row["header"]) for row in ROWS for other in OTHERS if row["token"] != other]


def by_command(command, field):
    def ask(questions):
        lines = [json.dumps({"robots": file, field: header, "url": URL}) for file, header in questions]
        done = subprocess.run([command, "test", "--ndjson", "--plain-names"], input="\n".join(lines), text=True,
                              capture_output=True, check=True)
        return [json.loads(line).get("allowed") for line in done.stdout.splitlines()]
    return ask


def by_node(questions):
    program = """
      import { robotsParser } from "%s/bindings/wasm/npm/node.js";
      const ask = ([file, header]) => robotsParser("https://shop.example/robots.txt", file).isAllowed("%s", header);
      let text = "";
      for await (const part of process.stdin) text += part;
      console.log(JSON.stringify(JSON.parse(text).map(ask)));
    """ % (ROOT, URL)
    done = subprocess.run(["node", "--input-type=module", "-e", program], input=json.dumps(questions), text=True,
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def readers():
    command = (sys.argv[1:] or [shutil.which("robosieve")])[0]
    if command:
        yield "command, --agent", by_command(command, "agent")
        yield "command, --user-agent", by_command(command, "user_agent")
    try:
        import robosieve
        from robosieve.protego import Protego
        from robosieve.robotparser import RobotFileParser
    except ImportError:
        pass
    else:
        def by_urllib(file, header):
            parser = RobotFileParser()
            parser.parse(file.splitlines())
            return parser.can_fetch(header, URL)
        yield "Python, Robots", each(lambda file, header: robosieve.Robots.parse(file, known=False).can_fetch(URL, header))
        yield "Python, for protego", each(lambda file, header: Protego.parse(file).can_fetch(URL, header))
        yield "Python, for urllib", each(by_urllib)
        try:
            from robosieve.scrapy import RobosieveRobotParser
        except ImportError:
            pass
        else:
            yield "Python, for Scrapy", each(
                lambda file, header: RobosieveRobotParser.from_crawler(None, file.encode()).allowed(URL, header))
    if (ROOT / "bindings/wasm/npm/robosieve.wasm").exists():
        yield "JavaScript", by_node
    try:
        from protego import Protego as Original
        yield "protego itself", each(lambda file, header: Original.parse(file).can_fetch(URL, header))
        from scrapy.robotstxt import ProtegoRobotParser, PythonRobotParser
        yield "Scrapy with protego", each(
            lambda file, header: ProtegoRobotParser(file.encode(), None).allowed(URL, header))
        yield "Scrapy with urllib", each(lambda file, header: PythonRobotParser(file.encode(), None).allowed(URL, header))
    except ImportError:
        pass


def each(ask):
    return lambda questions: [ask(file, header) for file, header in questions]


def main():
    print(f"{'reader':24} {'found of ' + str(len(QUESTIONS)):>14} {'invented of ' + str(len(INVENTED)):>18}")
    for name, ask in readers():
        found = sum(answer is False for answer in ask(QUESTIONS))
        invented = sum(answer is False for answer in ask(INVENTED))
        print(f"{name:24} {found:14} {invented:18}")


if __name__ == "__main__":
    main()

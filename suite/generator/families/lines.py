"""Line ends, comments, blanks, byte order marks and continued lines."""
from ..vectors import Family

ENDS = {"LF": "\n", "CR": "\r", "CR LF": "\r\n", "LF CR": "\n\r", "CR CR LF": "\r\r\n", "LF LF": "\n\n"}


def make():
    ends()
    not_ends()
    last_line()
    comments()
    blanks()
    byte_order_marks()
    continuations()


def ends():
    f = Family("lines.end", "line.end", "2.2", "CR syntax")
    for name, end in ENDS.items():
        file = end.join(["User-agent: *", "Disallow: /a", "Allow: /a/b", ""])
        f.add(file, "/a/x", f"{name} ends a line: the Disallow is read.", "must disallow")
        f.add(file, "/a/b", f"{name} ends a line: the Allow is read.", "must allow")
        f.add(file, "/b", f"{name} ends a line and is no part of a value.", "must allow",
              retired=name not in ("CR", "CR LF"))
    f.add("User-agent: *\nDisallow: /a\rDisallow: /b\r\nDisallow: /c\n", "/b", "Line ends may be mixed in a file.",
          "must disallow")
    f.add("User-agent: *\nDisallow: /a\rDisallow: /b\r\nDisallow: /c\n", "/c", "The line after a bare CR counts.",
          "must disallow")
    f.add("User-agent: My\rBot\nDisallow: /\n", "/a", "A bare CR ends a user-agent line: the name is My.", "must allow")
    f.add("User-agent: *\nDisallow: /a\rb\n", "/ax", "A bare CR ends the value: the rule is /a.", "must disallow")
    f.add("User-agent: *\nDisallow: /a # x\rDisallow: /b\n", "/b", "A CR ends a comment too.", "must disallow")
    f.add("User-agent: MyBot\rUser-agent: other\rDisallow: /\r", "/a", "A run of agents with CR is one group.",
          "must disallow")
    f.add("User-agent : *\rDisallow : /a\rDisallow : /b\r", "/b", "CR ends a line with a blank before its colon.",
          "must disallow", tags="blanks")
    f.add("User-agent: *\rCrawl-delay : 3\rDisallow: /b\r", "/b", "CR ends another record.", "must disallow",
          tags="other-records")
    f.add("User-agent: *\rnothing at all\rDisallow: /b\r", "/b", "CR ends a line that is nothing.", "must disallow")
    f.add("User-agent : *\rDisallow : /a # x\rDisallow : /b\r", "/b", "CR ends a comment after such a line.",
          "must disallow", tags="blanks comment")


def not_ends():
    f = Family("lines.not-end", "line.end", "2.2", "syntax encoding")
    for code in (0x85, 0x2028, 0x2029):
        char = chr(code)
        escaped = "".join(f"%{octet:02X}" for octet in char.encode())
        file = f"User-agent: *\nDisallow: /a{char}Disallow: /b\n"
        f.add(file, "/b", f"U+{code:04X} does not end a line.", retired=code == 0x2029)
        f.add(f"User-agent: *\nDisallow: /a{char}b\n", f"/a{escaped}b", f"U+{code:04X} is a character of the path.",
              "must disallow")
        f.add(f"User-agent: *\nDisallow: /a{char}b\n", "/ax", f"U+{code:04X} does not end the rule.", "must allow",
              retired=True)
        f.add(f"User-agent: *\nDisallow: /a{char}\n", "/ax", f"U+{code:04X} at the end of a value is not trimmed.",
              "must allow", retired=code == 0x2029)
    for code in (0x0B, 0x0C, 0x1C, 0x1D, 0x1E):
        f.add(f"User-agent: *\nDisallow: /a{chr(code)}Disallow: /b\n", "/b",
              f"A control, {code:02X}, is not in the grammar.", tags="controls")


def last_line():
    f = Family("lines.last", "line.end", "2.2", "syntax")
    f.add("User-agent: *\nDisallow: /a", "/a", "The last line has no end.")
    f.add("User-agent: *\nDisallow: /a\r", "/a", "The last line ends in CR.", "must disallow", tags="CR")
    f.add("User-agent: *\nDisallow: /a # x", "/a", "The last line is cut in a comment.")
    f.add("", "/a", "An empty file has no group.", "must allow", clause="rule.none", section="2.2.1", tags="empty")
    f.add("\n\n\n", "/a", "Empty lines are no group.", "must allow", clause="rule.none", section="2.2.1", tags="empty")
    f.add("# nothing\n", "/a", "A comment is no group.", "must allow", clause="rule.none", section="2.2.1",
          tags="empty comment")


def comments():
    f = Family("lines.comment", "line.comment", "2.2.3", "comment")
    f.group("Disallow: /a # note", "/a", "A comment after a value is not part of it.", "must disallow")
    f.group("Disallow: /a# note", "/ab", "A comment needs no blank before it.", "must disallow")
    f.group("Disallow: /a#b", "/a", "A # in a path begins a comment.", "must disallow")
    f.group("Disallow: /a%23b", "/a", "An escaped # is part of the path.", "must allow", tags="encoding")
    f.group("Disallow: /a%23b", "/a%23b", "An escaped # matches its escape.", "must disallow", tags="encoding")
    f.group("Disallow: /a$ # note", "/a", "$ before a comment is at the end of the rule.", "must disallow",
            tags="anchor")
    f.group("Disallow: /a$ # note", "/ab", "$ before a comment is the end of the match.", "must allow", tags="anchor")
    f.group("Disallow: /a$# note", "/ab", "The same without a blank.", "must allow", tags="anchor")
    f.group("#Disallow: /a", "/a", "A line that begins with # says nothing.", "must allow")
    f.group("  # Disallow: /a", "/a", "The same after blanks.", "must allow", tags="blanks")
    f.group("Disallow: # /a", "/a", "The value is empty: the comment begins before it.")
    f.group("Dis#allow: /a", "/a", "A # in the name leaves no field.", "must allow")
    f.group("Disallow# : /a", "/a", "A # before the colon leaves no field.", "must allow")
    f.add("User-agent: * # all\nDisallow: /\n", "/a", "A comment after a star is not part of the agent.",
          "must disallow")
    f.add("User-agent: MyBot# me\nDisallow: /\n", "/a", "A comment after an agent needs no blank.", "must disallow")
    f.add("User-agent: other # MyBot\nDisallow: /\n", "/a", "A name in a comment is not named.", "must allow")
    f.add("User-agent: MyBot\n# note\nDisallow: /\n", "/a", "A comment line does not end a group.", "must disallow",
          tags="group")
    f.add("User-agent: MyBot\n# note\nUser-agent: other\nDisallow: /\n", "/a",
          "A comment line does not end a run of agents.", "must disallow", tags="group")
    f.add("User-agent: *\nDisallow: /a\n# User-agent: other\nDisallow: /b\n", "/b",
          "An agent in a comment opens no group.", "must disallow", tags="group")
    f.add("# note\n# note\nUser-agent: *\nDisallow: /\n", "/a", "Comments may be before the first group.",
          "must disallow")
    f.group("Disallow: /a ## note # more", "/a", "A comment may have more of #.", "must disallow")
    f.group("Disallow: /a #\u00e9\u4e2d", "/a", "A comment may have any characters.", "must disallow", tags="encoding")
    f.group("Disallow: /*# | Allow: /b", "/b", "A # after a star begins a comment.", tags="wildcard rank")


def blanks():
    f = Family("lines.blanks", "line.trailing-blanks", "2.2", "blanks")
    spaces = {"a blank": " ", "two blanks": "  ", "a tab": "\t", "a blank and a tab": " \t"}
    for name, blank in spaces.items():
        more = {"retired": name == "two blanks"}
        f.group(f"Disallow: /a{blank}", "/ab", f"{name} at the end is not part of the value.".capitalize(),
                "must disallow", **more)
        f.group(f"Disallow: /a${blank}", "/ab", f"{name} after $ does not unmake it.".capitalize(), "must allow",
                tags="anchor", **more)
        f.add(f"User-agent: MyBot{blank}\nDisallow: /\n", "/a", f"{name} after an agent.".capitalize(),
              "must disallow", **more)
        f.add(f"User-agent: *{blank}\nDisallow: /\n", "/a", f"{name} after a star.".capitalize(), "must disallow",
              **more)
        f.group(f"{blank}Disallow: /a", "/a", f"{name} before a name.".capitalize(), "must disallow",
                clause="field.syntax", **more)
        f.add(f"{blank}User-agent: *\n{blank}Disallow: /\n", "/a", f"Each line begins with {name}.", "must disallow",
              clause="field.syntax", retired=name != "a tab")
        f.group(f"Disallow{blank}: /a", "/a", f"{name} before the colon.".capitalize(), "must disallow",
                clause="field.syntax", **more)
        f.group(f"Disallow:{blank}/a", "/a", f"{name} after the colon.".capitalize(), "must disallow",
                clause="field.syntax", **more)
    f.group("Disallow:/a", "/a", "No blank is needed after the colon.", "must disallow", clause="field.syntax")
    f.add("User-agent:*\nDisallow:/\n", "/a", "No blank is needed anywhere.", "must disallow", clause="field.syntax")
    f.add("User-agent:MyBot\nDisallow:/\n", "/a", "No blank is needed before an agent.", "must disallow",
          clause="field.syntax")
    f.group("Disallow: /a b", "/a", "A blank in a path is not in the grammar.")
    f.group("Disallow: /a b", "/a%20b", "A blank in a path may be its escape.")
    f.group("Disallow: /a\u00a0", "/ab", "A no-break space is not a blank.", "must allow", tags="encoding")
    f.group("Disallow: /a\u00a0", "/a%C2%A0", "A no-break space is part of the path.", "must disallow",
            tags="encoding")
    f.group("Disallow: /a\u3000", "/ab", "An ideographic space is not a blank.", "must allow", tags="encoding")
    f.add("\u00a0User-agent: *\nDisallow: /\n", "/a", "A no-break space before a name makes another record.",
          tags="encoding")
    f.group("Disallow: /a\x0b", "/ab", "A vertical tab is not in the grammar.", tags="controls")
    f.group("Disallow: /a\x0c", "/ab", "A form feed is not in the grammar.", tags="controls")
    f.group("Disallow: /a\x00b", "/a", "A NUL is not in the grammar.", tags="controls")
    f.group("Disallow: /a\x00b", "/ac", "A NUL in a rule may end it.", tags="controls")


def byte_order_marks():
    f = Family("lines.bom", "input.bom", "2.3", "BOM")
    mark = b"\xef\xbb\xbf"
    rules = b"User-agent: *\nDisallow: /\n"
    f.add(mark + rules, "/a", "A byte order mark before a user-agent line.")
    f.add(mark + b"\n" + rules, "/a", "A mark on a line of its own spoils no other line.", "must disallow")
    f.add(mark + b"# note\n" + rules, "/a", "A mark before a comment spoils no other line.", "must disallow")
    f.add(mark + mark + rules, "/a", "Two byte order marks.")
    f.add(b"\xef" + rules, "/a", "One byte of a mark.")
    f.add(b"\xef\xbb" + rules, "/a", "Two bytes of a mark.")
    f.add(b" " + mark + rules, "/a", "A mark after a blank is not at the start.")
    f.add(b"User-agent: *\n" + mark + b"Disallow: /\n", "/a", "A mark within a file makes another record.")
    f.add(b"User-agent: *\nDisallow: /a\n" + mark + b"User-agent: other\nDisallow: /b\n", "/a",
          "A mark in the middle does not undo the rules above.", "must disallow")
    f.add(mark, "/a", "Nothing but a mark.", "must allow", clause="rule.none", section="2.2.1", tags="empty")
    f.add(mark + b"User-agent: MyBot\nDisallow: /\nUser-agent: *\nDisallow: /b\n", "/c",
          "If the mark stays, the named group is lost.")
    f.add(mark + b"Disallow: /\nUser-agent: other\nDisallow:\n", "/a", "A mark before a rule outside of any group.")
    f.add(b"User-agent: *\nDisallow: " + mark + b"/a\n", "/a", "A mark before a path is part of it.")


def continuations():
    f = Family("lines.fold", "line.fold", "2.2", "fold syntax")
    f.group("Disallow: |   /a", "/a", "An indented path below an empty rule: the grammar has no continuation.")
    f.group("Disallow |   : /a", "/a", "The colon is on the next line.")
    f.group("Disallow: | /a", "/a", "A path that is not indented belongs to nothing.", tags="empty")
    f.group("Disallow: |   Allow: /b | Disallow: /c", "/c", "An indented rule is a rule, and the empty one is empty.")
    f.group("Disallow: /a |   b", "/a", "An indented word below a full rule.")
    f.group("Disallow: /a |   b", "/ax", "May the word below lengthen the rule?")
    f.group("Disallow: /x |   Disallow: /y", "/y", "An indented rule below a rule is a rule.", "must disallow")
    f.add("User-agent: *\n  Disallow: /a\n  Disallow: /b\n", "/b", "Indented rules are rules.", "must disallow")
    f.add("User-agent:\n  MyBot\nDisallow: /\n", "/a", "An agent on the line below an empty agent.")

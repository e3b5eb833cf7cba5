"""Percent-encoding: octets outside ASCII, unreserved and reserved octets, broken escapes, other encodings."""
from ..vectors import Family

RESERVED = ":[]@!&'()+,;="
NOT_IN_URI = "\"<>\\^`{|}"
UNRESERVED = "azAZ09-._~"


def make():
    outside_ascii()
    unreserved()
    reserved()
    special()
    not_in_uri()
    hex_case()
    broken()
    length()
    table()
    other_encodings()


def escape(text):
    return "".join(f"%{octet:02X}" for octet in text.encode())


def outside_ascii():
    f = Family("encoding.utf8", "path.encode", "2.2.2", "encoding")
    for char, name in (("\u00e9", "two octets"), ("\u30c4", "three octets"), ("\U0001f916", "four octets")):
        for rule, rule_is in ((char, "raw"), (escape(char), "escaped")):
            for url, url_is in ((char, "raw"), (escape(char), "escaped")):
                f.group(f"Disallow: /{rule}", f"/{url}",
                        f"A character of {name}: {rule_is} in the rule, {url_is} in the URL.", "must disallow")
        f.group(f"Disallow: /{char}x", f"/{escape(char)}x", f"What follows a character of {name} counts.",
                "must disallow")
        f.group(f"Disallow: /{char}x", f"/{escape(char)}y", f"What follows a character of {name} has to match.",
                "must allow")
        f.group(f"Disallow: /*{char}$", f"/a{escape(char)}", f"A character of {name} between star and anchor.",
                "must disallow", tags="wildcard anchor")
    f.group("Disallow: /\u00e9", "/e%CC%81", "Composed and decomposed letters differ.", "must allow")
    f.group("Disallow: /\u00e9", "/%E9", "The octet of Latin-1 is another one.", "must allow")
    f.group("Disallow: /\u00c9", "/%C3%A9", "Case of letters outside ASCII counts too.", "", tags="case")
    f.group("Disallow: /\u30c4", "/%E3%83", "A part of a character is not the character.", "must allow")
    f.group("Disallow: /%E3", "/%E3%83%84", "A rule may end within a character.", "must disallow")
    f.group("Disallow: /a\u200b", "/a", "An invisible character is part of the path.", "must allow")
    f.group("Disallow: /\u202ea", "/%E2%80%AEa", "A mark of direction is part of the path.", "must disallow")
    f.group("Disallow: /\ufffd", "/%EF%BF%BD", "A replacement character is a character.", "must disallow")


def unreserved():
    f = Family("encoding.unreserved", "path.decode", "2.2.2", "encoding")
    for char in UNRESERVED:
        code = escape(char)
        more = {"retired": char not in "a0-~"}
        f.group(f"Disallow: /x{char}", f"/x{code}", f"{code} in the URL is {char}.", "must disallow", **more)
        f.group(f"Disallow: /x{code}", f"/x{char}", f"{code} in the rule is {char}, if a reader decodes rules too.",
                **more)
        f.group(f"Disallow: /x{code}", f"/x{code}", f"{code} in both.", **more)
    f.group("Disallow: /xab", "/x%61b", "An escape in the middle of a URL.", "must disallow")
    f.group("Disallow: /xa", "/x%62", "An escape of another letter.", "must allow")
    f.group("Disallow: /xa", "/x%41", "An escape of a letter in the other case.", "may allow", tags="case")
    f.group("Disallow: /a", "/%2561", "An escape of an escape is decoded once.", "must allow")
    f.group("Disallow: /%61", "/%2561", "An escape of an escape is not an escape.", "must allow")
    f.group("Disallow: /%2561", "/%2561", "An escaped percent sign matches itself.", "must disallow")
    f.group("Disallow: /a*c", "/a%62c", "A star over an escape.", "must disallow", tags="wildcard")
    f.group("Disallow: /*b$", "/a%62", "An anchor after an escape.", "must disallow", tags="wildcard anchor")


def reserved():
    f = Family("encoding.reserved", "path.decode", "2.2.2", "encoding")
    for char in RESERVED:
        code = escape(char)
        more = {"retired": char not in ":[&'+="}
        f.group(f"Disallow: /x{char}y", f"/x{char}y", f"{char} matches itself.",
                "" if char in "[]" else "must disallow", clause="path.match", **more)
        f.group(f"Disallow: /x{code}y", f"/x{code}y", f"{code} matches itself.", "must disallow", **more)
        f.group(f"Disallow: /x{char}y", f"/x{code}y", f"{char} in the rule, {code} in the URL: two sentences disagree.",
                **more)
        f.group(f"Disallow: /x{code}y", f"/x{char}y", f"{code} in the rule, {char} in the URL: two sentences disagree.",
                **more)
    f.group("Disallow: /a/b", "/a%2Fb", "%2F in the URL is no separator of segments.")
    f.group("Disallow: /a%2Fb", "/a/b", "%2F in the rule is no separator of segments.")
    f.group("Disallow: /a%2Fb", "/a%2Fb", "%2F matches itself.", "must disallow")
    f.group("Disallow: /a?b", "/a%3Fb", "%3F in the URL begins no query.")
    f.group("Disallow: /a%3Fb", "/a?b", "%3F in the rule begins no query.")
    f.group("Disallow: /a%3Fb", "/a%3Fb", "%3F matches itself.", "must disallow")
    f.group("Disallow: /a%25b", "/a%25b", "%25 matches itself.", "must disallow")
    f.group("Disallow: /a?b=/c", "/a?b=/c", "A slash in a query matches itself.", "must disallow", clause="path.match")
    f.group("Disallow: /a?b=%2Fc", "/a?b=/c", "A slash in a query and its escape.")
    f.group("Disallow: /a%20b", "/a%20b", "An escaped blank matches itself.", "must disallow")
    f.group("Disallow: /a%20b", "/a+b", "A plus is no blank.", "must allow")
    f.group("Disallow: /a%0Ab", "/a%0Ab", "An escaped line end matches itself.", "must disallow")
    f.group("Disallow: /a%0AAllow: /b", "/a", "An escaped line end ends no line.")
    f.group("Disallow: /a%00b", "/a%00b", "An escaped NUL matches itself.", "must disallow")
    f.group("Disallow: /a%00b", "/a", "An escaped NUL ends nothing.", "must allow")


def special():
    f = Family("encoding.special", "path.literal", "2.2.3", "encoding wildcard")
    f.group("Disallow: /a%2Ab", "/a*b", "%2A in the rule should match a star in the URL.", "may disallow")
    f.group("Disallow: /a%2Ab", "/a%2Ab", "%2A matches its escape.", "must disallow")
    f.group("Disallow: /a%2ab", "/a%2Ab", "%2a matches its escape, in any case of hex.", "must disallow")
    f.group("Disallow: /a%2Ab", "/axb", "%2A in the rule is no wildcard.", "must allow")
    f.group("Disallow: /a%2Ab", "/ab", "%2A in the rule stands for one octet.", "must allow")
    f.group("Disallow: /a%2A", "/ab", "%2A at the end of a rule is no wildcard.", "must allow")
    f.group("Disallow: /a%24", "/a$", "%24 in the rule should match $ in the URL.", "may disallow")
    f.group("Disallow: /a%24", "/a%24", "%24 matches its escape.", "must disallow")
    f.group("Disallow: /a%24", "/a%24b", "%24 at the end of a rule is no anchor.", "must disallow")
    f.group("Disallow: /a%24", "/a", "%24 in the rule is one octet of the URL.", "must allow")
    f.group("Disallow: /a%24$", "/a%24", "An anchor after %24.", "must disallow", tags="anchor")
    f.group("Disallow: /a%24$", "/a%24b", "An anchor after %24 ends the match.", "must allow", tags="anchor")
    f.group("Disallow: /a*b", "/a*b", "A star in the URL is an octet like others.", "must disallow")
    f.group("Disallow: /axb", "/a*b", "A star in the URL is no wildcard.", "must allow")
    f.group("Disallow: /a*", "/a%2A", "A wildcard over an escaped star.", "must disallow")
    f.group("Disallow: /a$", "/a%24", "An anchor does not match %24.", "must allow", tags="anchor")
    f.group("Disallow: /a$", "/a$", "An anchor does not match $ in the URL.", "must allow", tags="anchor")
    f.group("Disallow: /*4", "/%24", "A part of an escape is not a 4.", "")
    f.group("Disallow: /%2", "/%24", "A rule that ends within an escape.", "")
    f.group("Disallow: /%2A%2A", "/**", "Two escaped stars.", "may disallow")


def not_in_uri():
    f = Family("encoding.not-in-uri", "path.encode", "2.2.2", "encoding")
    for char in NOT_IN_URI:
        code = escape(char)
        f.group(f"Disallow: /x{char}y", f"/x{code}y", f"{char} in the rule is in no URI: it may be read as {code}.")
        f.group(f"Disallow: /x{code}y", f"/x{code}y", f"{code} matches itself.", "must disallow",
                retired=char not in "<{|")
        f.group(f"Disallow: /x{char}y", "/xy", f"{char} is not nothing.", "must allow", retired=char not in "^|")
    f.group("Disallow: /x\x7fy", "/x%7Fy", "DEL is in the grammar, and in no URI.", tags="controls")


def hex_case():
    f = Family("encoding.hex", "path.decode", "2.2.2", "encoding case")
    for rule, url in (("%e9", "%E9"), ("%E9", "%e9"), ("%3f", "%3F"), ("%3F", "%3f"), ("%c3%A9", "%C3%a9"),
                      ("%2f", "%2F")):
        f.group(f"Disallow: /x{rule}", f"/x{url}", "The case of hex digits does not matter (RFC 3986, 2.1).",
                "must disallow")
    f.group("Disallow: /\u00e9", "/%c3%a9", "A raw character and an escape in lower case.", "must disallow")
    f.group("Disallow: /%c3%a9", "/\u00e9", "The same the other way round.", "must disallow")
    f.group("Disallow: /A%2fb", "/A%2Fb", "Only hex digits have no case.", "must disallow")
    f.group("Disallow: /a%2fb", "/A%2Fb", "The letters next to an escape have a case.", "may allow")


def broken():
    f = Family("encoding.broken", "path.decode", "2.2.2", "encoding")
    for rule in ("/%", "/%z", "/%zz", "/%4", "/a%", "/a%2", "/%%41", "/%4%31", "/%u00e9"):
        f.group(f"Disallow: {rule}", rule, "What is no escape, in the rule and in the URL.")
        f.group(f"Disallow: {rule}", "/b", "What is no escape does not match another path.", "must allow",
                retired=rule not in ("/%", "/%zz"))
    f.group("Disallow: /%", "/%25", "A percent sign alone may be read as %25.")
    f.group("Disallow: /%zz | Disallow: /b", "/b", "What is no escape spoils no other rule.", "must disallow")
    f.group("Disallow: /%4%31", "/%%341", "Decoding makes no escape that was not there.")
    f.group("Disallow: /%4%31", "/%%34%31", "Decoding makes no escape that was not there, in two ways.")


def length():
    f = Family("encoding.rank", "rule.longest", "2.2.2", "encoding rank")
    f.group("Allow: /%7Ea | Disallow: /~abc", "/~abc", "The length of an escape: as written or as compared?")
    f.group("Disallow: /%7Ea | Allow: /~abc", "/~abc", "The same for a Disallow.")
    f.group("Allow: /\u00e9 | Disallow: /*abc", "/%C3%A9abc",
            "The length of a raw character: as written or as compared?")
    f.group("Disallow: /\u00e9 | Allow: /%C3%A9", "/%C3%A9", "One path, raw and escaped.")
    f.group("Disallow: /%C3%A9 | Allow: /\u00e9", "/%C3%A9", "One path, escaped and raw.")
    f.group("Disallow: /%e9 | Allow: /%E9", "/%E9", "One path with two cases of hex.", "may allow")
    f.group("Disallow: /%2A | Allow: /*", "/%2A", "An escaped star is longer than a star in any count.")
    f.group("Allow: /\u00e9/a | Disallow: /\u00e9", "/%C3%A9/a", "A longer rule with a raw character.", "must allow")
    f.group("Allow: /%C3%A9/a | Disallow: /\u00e9", "/%C3%A9/a", "The longer rule is escaped.", "must allow")
    f.group("Allow: /\u00e9/a | Disallow: /%C3%A9", "/%C3%A9/a", "The longer rule is raw.")


def table():
    f = Family("encoding.table", "path.encode", "2.2.2", "encoding")
    f.group("Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", "The table of examples, first row.", "must disallow")
    f.group("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
            "The table of examples, second row: reserved octets of a query are encoded.", stated="disallow")
    f.group("Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar",
            "The same row, with the escapes in the rule.", stated="disallow")
    f.group("Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar",
            "The same row, raw in both.", "must disallow")
    f.group("Disallow: /foo/bar/\u30c4", "/foo/bar/%E3%83%84", "The table of examples, third row.", "must disallow")
    f.group("Disallow: /foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", "The table of examples, fourth row.",
            "must disallow")
    f.group("Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", "The table of examples, fifth row, for a URL.",
            "must disallow")
    f.group("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", "The fifth row, for a rule: is it about rules?")


def other_encodings():
    f = Family("encoding.other", "path.encode", "2.2.2", "encoding")
    start = b"User-agent: *\nDisallow: /"
    f.add(start + b"\xe9\n", "/%E9", "Latin-1: a reader may bridge the encodings.")
    f.add(start + b"\xe9\n", "/%C3%A9", "Latin-1, asked for the character in UTF-8.")
    f.add(start + b"\xe9\nDisallow: /b\n", "/b", "An octet that is not UTF-8 spoils no other rule.", "must disallow")
    f.add(start + b"\xff\n", "/%FF", "An octet that is never UTF-8.")
    f.add(start + b"\xff\n", "/%EF%BF%BD", "An octet that is never UTF-8 is no replacement character.")
    f.add(start + b"\xc3\n", "/%C3", "A character that is cut short.")
    f.add(start + b"\xc0\xaf\n", "/", "An overlong slash is no slash.", "must allow")
    f.add(start + b"\xc0\xaf\n", "/%C0%AF", "An overlong slash, as its octets.")
    f.add(start + b"\xed\xa0\x80\n", "/%ED%A0%80", "A surrogate is not UTF-8.")
    f.add(b"# \xe9\xff\n" + start + b"a\n", "/a", "What is not UTF-8 in a comment spoils no rule.", "must disallow",
          tags="comment")
    f.add(b"User-agent: M\xe9\nDisallow: /a\n\nUser-agent: MyBot\nDisallow: /b\n", "/b",
          "What is not UTF-8 in an agent spoils no other group.", "must disallow", tags="agent", clause="agent.value")
    f.add("User-agent: *\nDisallow: /\n".encode("utf-16"), "/a", "UTF-16 with a mark: a reader may bridge it.",
          clause="input.utf16", tags="BOM")
    f.add("User-agent: *\nDisallow: /\n".encode("utf-16-le"), "/a", "UTF-16 without a mark has no field.",
          clause="input.utf16")
    f.add("User-agent: *\nDisallow: /\n".encode("utf-16-be"), "/a", "UTF-16, the other order, without a mark.",
          clause="input.utf16")
    for codec, words in [("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16, the other order,"), ("utf-32-le", "UTF-32"),
                         ("utf-32-be", "UTF-32, the other order,")]:
        f.add("\ufeffUser-agent: *\r\nDisallow: /\u00e9\U0001f600\n".encode(codec), "/%C3%A9%F0%9F%98%80",
              f"{words} with a mark, and characters outside ASCII.", clause="input.utf16", tags="BOM")

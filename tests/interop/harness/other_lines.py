"""Does a line other than a rule change a peer's answers? The portable form contains only those that do not."""
from .ask import ask
from .corpus import ORIGIN

URLS = tuple(ORIGIN + path for path in ("/", "/no", "/yes", "/blog/x", "/shop/?ref=1", "/a/b.html"))
RECORDS = ("Disallow: /no\n", "Allow: /no/x\nDisallow: /no\n", "Disallow:\n", "Disallow: /\n")
OF_A_RECORD = (
    *(f"Crawl-delay: {seconds}" for seconds in ("0", "0.5", "2.25", "10", "299.5", "300")),
    *(f"Request-rate: {rate}" for rate in ("1/5", "10/60", "1/600 0600-0845")),
    "Visit-time: 0600-0845",
    *(f"Noindex: {path}" for path in ("/", "/yes", "/a/*.html$")),
    *(f"Content-Signal: {use}" for use in ("search=yes, ai-train=no", "/blog search=yes")),
    *(f"Content-Usage: {use}" for use in ("train-ai=n", "/yes train-ai=n")),
    *(f"Clean-param: {names}" for names in ("ref", "ref&utm_source /shop/")),
)
OF_THE_FILE = ("Host: example.com", "Host: https://example.com:8080", "License: https://example.com/license.xml")


def changed_by(peers):
    """Sentences about lines that change an answer of a peer."""
    questions, pairs = [], []

    def question(text):
        questions.append((text.encode(), "AnyBot", URLS))
        return len(questions) - 1

    for rules in RECORDS:
        record = "User-agent: *\n" + rules
        without = question(record)
        pairs += [(without, question(f"{record}{line}\n"), line) for line in OF_A_RECORD]
        pairs += [(without, question(f"{record}\n{line}\n"), line) for line in OF_THE_FILE]
    for peer, answers in ask(peers, questions).items():
        for without, with_line, line in pairs:
            if answers[without] != answers[with_line]:
                yield f"{peer}: {line!r} changes {answers[without]} to {answers[with_line]}"

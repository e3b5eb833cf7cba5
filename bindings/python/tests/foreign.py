"""The tests of the originals that the drop-in replacements do not pass, each with the reason. README.md has this list."""

from __future__ import annotations

REASONS = {
    "no-url": "`xyz/foo.js` is no URL, and what is no URL is not allowed",
    "names": "a group is for a crawler with its whole name, not for one whose name begins with it (RFC 9309 2.2.1)",
    "alphabet": "a name has the letters `a` to `z`, `_` and `-` (RFC 9309 2.2.1)",
    "unknown": "a line that is unknown does not end a run of user-agent lines (RFC 9309 2.2.4)",
    "everybody": "a delay above all groups is everybody's",
    "dollar": "`$` at the end of a rule is the end of the path only (RFC 9309 2.2.3)",
    "reserved": "`=` and `%3D` are not the same (RFC 9309 2.2.2)",
    "index": "`Allow: /dir/index.html` is no Allow of `/dir/`: no standard says so",
    "rate": "a rate with half of a time is read as the rate",
    "time": "a visit time in a line without a colon is not read",
    "private": "it asks for what is private",
    "merged": "all groups for `*` are one (RFC 9309 2.2.1)",
    "list": "there is no list of entries to print",
    "longest": "the longest rule decides, not the first (RFC 9309 2.2.2)",
}

PROTEGO = {
    "TestProtego::test_allowed_wildcards": "no-url",
    "TestProtego::test_unicode_url_and_useragent": "alphabet",
    "TestProtego::test_generosity": "alphabet",
    "TestProtego::test_grouping_unknown_keys": "unknown",
    "TestProtego::test_no_leading_user_agent": "everybody",
    "TestProtego::test_special_symbols_dual_behaviour": "dollar",
    "test_equal_sign_in_path[https://example.com/1/filter/page%3D5/-True]": "reserved",
    "TestProtego::test_index_html_is_directory": "index",
    "TestProtego::test_malformed_request_rate[1/5 9-17]": "rate",
    "TestProtego::test_generosity_visit_time": "time",
    "TestProtego::test_line_endings": "private",
    "test_user_agent_precedence[/group1-hedwig-news2]": "names",
    "test_user_agent_precedence[/group3-hedwig-new]": "names",
    "test_user_agent_precedence[/group3-hedwig-images]": "names",
    "test_user_agent_boundary_matching[googlebot-googlebot-news-True]": "names",
    "test_user_agent_boundary_matching[google-googlebot-mobile-True]": "names",
}

CPYTHON = {
    "UserAgentGoogleMobileTest::test_bad_urls": "names",
    "UseFirstUserAgentWildcardTest::test_good_urls": "merged",
    "StringFormattingTest::test_string_formatting": "list",
}

SCRAPY = {
    "TestRobosieve::test_unicode_url_and_useragent": "alphabet",
    "TestRobosieve::test_order_based_precedence": "longest",
}

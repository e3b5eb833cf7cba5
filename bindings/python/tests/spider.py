"""A spider for tests: `python spider.py MIDDLEWARE STORE SITES SETTINGS` crawls sites, and prints stats and pages as JSON."""

from __future__ import annotations

import json
import sys
import time

import scrapy
from robosieve.scrapy import RobotsTxtMiddleware
from scrapy.crawler import CrawlerProcess

SCRAPYS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"


class WithClock(RobotsTxtMiddleware):
    """The middleware, with a clock that can be put forward."""

    ahead = 0.0
    clock = staticmethod(lambda: time.time() + WithClock.ahead)


class Pages(scrapy.Spider):
    """Requests the pages of each site; those of a second part a day later."""

    name = "pages"

    def __init__(self, *args, **settings):
        super().__init__(*args, **settings)
        self.later, self.pages = [], []

    async def start(self):
        for base, parts in self.sites:
            yield self.page(base, parts)

    def page(self, base, parts):
        first, *rest = parts[0]
        return scrapy.Request(
            base + first, self.came, errback=self.came, cb_kwargs={"base": base, "rest": [rest, *parts[1:]]},
            dont_filter=True, meta={"handle_httpstatus_all": True},
        )

    def came(self, response, base=None, rest=None):
        if base is None:
            base, rest = response.request.cb_kwargs["base"], response.request.cb_kwargs["rest"]
        else:
            self.pages.append(response.url)
        if rest[0]:
            yield self.page(base, rest)
        elif rest[1:]:
            # The clock is that of all sites, so it waits until each has answered: a download that is on its way while
            # the clock jumps has taken a day, and closes its site.
            self.later.append((base, rest[1:]))
            if len(self.later) == sum(len(parts) > 1 for _, parts in self.sites):
                WithClock.ahead = 86_400 + 60
                for site in self.later:
                    yield self.page(*site)


if __name__ == "__main__":
    middleware, store, sites = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    ours = middleware == "robosieve"
    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "MyBot/1.0 (+https://example.com/bot)",
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_TIMEOUT": 20,
        "ROBOSIEVE_ALLOW_PRIVATE": True,
        "ROBOSIEVE_STORE": store or None,
        "DOWNLOADER_MIDDLEWARES": {SCRAPYS: None, WithClock: 100} if ours else {},
        **json.loads(sys.argv[4]),
    }
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Pages)
    process.crawl(crawler, sites=sites)
    process.start()
    stats = crawler.stats.get_stats()
    stats = {name: count for name, count in stats.items() if name.startswith("robotstxt/")}
    print(json.dumps({**stats, "pages": crawler.spider.pages}))

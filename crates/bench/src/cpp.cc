// Times a parser with the interface of google/robotstxt.
//
// The argument is the agent. The input is the number of files, then for each the number of its URLs, the file and the
// URLs, each after its length; then lines "FROM BELOW URLS". An answer is the CPU seconds to read the files of at least
// FROM and fewer than BELOW bytes, for URLs URLs each; 0 means that they are parsed only.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "robots.h"

namespace googlebot {
struct ContentSignal;
struct RequestRate;
}  // namespace googlebot

namespace {

struct Case {
  std::string file;
  std::vector<std::string> urls;
};

// The one of std or of Abseil.
template <typename Class, typename View>
View ViewOf(void (Class::*)(int, View));
using View = decltype(ViewOf(&googlebot::RobotsParseHandler::HandleAllow));

// Takes each line, and keeps nothing.
class Seen : public googlebot::RobotsParseHandler {
 public:
  size_t bytes = 0;
  void HandleRobotsStart() override {}
  void HandleRobotsEnd() override {}
  void HandleUserAgent(int, View value) override { bytes += value.size(); }
  void HandleAllow(int, View value) override { bytes += value.size(); }
  void HandleDisallow(int, View value) override { bytes += value.size(); }
  void HandleSitemap(int, View value) override { bytes += value.size(); }
  void HandleUnknownAction(int, View, View value) override { bytes += value.size(); }
  // Of nzrsky/robotstxt only.
  virtual void HandleCrawlDelay(int, double) { ++bytes; }
  virtual void HandleRequestRate(int, const googlebot::RequestRate&) { ++bytes; }
  virtual void HandleContentSignal(int, const googlebot::ContentSignal&) { ++bytes; }
};

std::string Part() {
  size_t length = 0;
  std::cin >> length;
  std::cin.get();
  std::string part(length, '\0');
  std::cin.read(part.data(), static_cast<std::streamsize>(length));
  return part;
}

double Now() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int, char** arguments) {
  std::ios::sync_with_stdio(false);
  const std::string agent = arguments[1];
  size_t files = 0;
  std::cin >> files;
  std::vector<Case> cases(files);
  for (Case& one : cases) {
    size_t urls = 0;
    std::cin >> urls;
    std::cin.get();
    one.file = Part();
    for (size_t number = 0; number < urls; ++number) one.urls.push_back(Part());
  }
  size_t from = 0, below = 0, urls = 0;
  volatile size_t seen = 0;
  while (std::cin >> from >> below >> urls) {
    const double start = Now();
    for (const Case& one : cases) {
      if (one.file.size() < from || one.file.size() >= below) continue;
      if (urls == 0) {
        Seen handler;
        googlebot::ParseRobotsTxt(one.file, &handler);
        seen = seen + handler.bytes;
      }
      for (size_t number = 0; number < urls && number < one.urls.size(); ++number) {
        googlebot::RobotsMatcher matcher;
        seen = seen + matcher.OneAgentAllowedByRobots(one.file, agent, one.urls[number]);
      }
    }
    std::printf("%.9f\n", Now() - start);
    std::fflush(stdout);
  }
}

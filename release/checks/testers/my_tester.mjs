// robots-parser, as the snippet asks it.
import robotsParser from "robots-parser";

export function allows(file, agent, url) {
  return robotsParser(new URL("/robots.txt", url).href, file.toString()).isAllowed(url, agent) !== false;
}

import everything = require("./index.cjs");

/** Parses the robots.txt file of a site. */
declare function robotsParser(
  url: string | URL | null | undefined,
  body?: robotsParser.Body | null,
): robotsParser.Robots;

declare namespace robotsParser {
  export type Body = everything.Body;
  export type Robots = everything.Robots;
  export function init(): Promise<void>;
  const parser: typeof everything.robotsParser;
  export { parser as robotsParser, parser as default };
}

export = robotsParser;

// `robotsParser` alone, over the small module.

import { robotsParserOf } from "./robots-parser.js";
import { Robots } from "./wasm-robots.js";

export const robotsParser = robotsParserOf(() => Robots);

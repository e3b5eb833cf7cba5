export { init, robotsParser, robotsParser as default, type Body, type Robots } from "./index.js";

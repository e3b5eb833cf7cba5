// Prints npm/index.d.ts: types.d.ts, and in it the types of answers, made from the schema of the command's answers.
//
// A definition whose name begins with a capital is a type; another one is written out where it is used.

import { readFileSync } from "node:fs";

const WIDTH = 120;
const HERE = "// From here: made from the schema of answers.\n";
/** What functions return. The types that these are made of come before them. */
const RETURNED = [
  "Sieved",
  "Results",
  "WhyAnswer",
  "UsageAnswer",
  "Explained",
  "Inspection",
  "Linted",
  "Changes",
  "MatrixRows",
  "Tree",
  "KnownCrawler",
  "AllChanges",
  "SignalsAnswer",
];

const { $defs } = JSON.parse(readFileSync(new URL("../../crates/cli/schema/robosieve.json", import.meta.url), "utf8"));
const nameOf = (schema) => schema.$ref?.slice("#/$defs/".length);
const isType = (name) => /^[A-Z]/.test(name);

/** Adds the types that a schema needs, each after those that it is made of. */
function add(schema, needed) {
  const name = nameOf(schema);
  if (name === undefined) {
    for (const part of Object.values(schema)) if (typeof part === "object" && part !== null) add(part, needed);
  } else if (!needed.has(name)) {
    add($defs[name], needed);
    if (isType(name)) needed.add(name);
  }
}

/** A schema as a type. */
function written(schema) {
  const name = nameOf(schema);
  if (name !== undefined) return isType(name) ? name : written($defs[name]);
  if (schema.anyOf) return schema.anyOf.map(written).join(" | ");
  const values = schema.enum ?? ("const" in schema ? [schema.const] : []);
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" | ");
  return [schema.type].flat().map((kind) => ofKind(kind, schema)).join(" | ");
}

function ofKind(kind, schema) {
  if (kind === "integer") return "number";
  if (kind === "object") return `Record<string, ${written(schema.additionalProperties)}>`;
  if (kind !== "array") return kind;
  if (schema.prefixItems) return `[${schema.prefixItems.map(written).join(", ")}]`;
  const item = written(schema.items);
  return item.includes(" ") ? `(${item})[]` : `${item}[]`;
}

/** A comment, wrapped. */
function comment(words, indent) {
  if (words === undefined) return "";
  const [first, next] = [`${indent}/** `, `${indent} *  `];
  const lines = [first];
  for (const word of `${words} */`.split(" ")) {
    const line = lines.at(-1);
    if (line.length + 1 + word.length > WIDTH) lines.push(next + word);
    else lines[lines.length - 1] = line === first ? line + word : `${line} ${word}`;
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** The declaration of a type. */
function declared(name) {
  const { description, properties, required = [], allOf = [], ...rest } = $defs[name];
  const head = comment(description, "");
  if (properties === undefined) {
    const kinds = written(rest);
    const broken = kinds.length < 80 ? ` ${kinds}` : `\n  ${kinds.replaceAll(" | ", "\n  | ")}`;
    return `${head}export type ${name} =${broken};\n\n`;
  }
  const bases = allOf.map(nameOf).join(", ");
  const fields = Object.entries(properties).map(([field, schema]) => {
    const key = /^\w+$/.test(field) ? field : `"${field}"`;
    const optional = required.includes(field) ? "" : "?";
    return `${comment(schema.description, "  ")}  ${key}${optional}: ${written(schema)};\n`;
  });
  return `${head}export interface ${name}${bases && ` extends ${bases}`} {\n${fields.join("")}}\n\n`;
}

const needed = new Set();
for (const name of RETURNED) add({ $ref: `#/$defs/${name}` }, needed);
const types = readFileSync(new URL("types.d.ts", import.meta.url), "utf8");
process.stdout.write(types.replace(HERE, () => `${HERE}\n${[...needed].map(declared).join("")}`));

// The paths that rules speak of, as a tree. A sign and a word say the answer too: colour is never alone.

import { el, put, sign } from "../dom.js";

/// Shows a tree.
export function showPaths(place, { nodes }) {
  put(place,
    el("p.note", null, "What the rules for the crawler speak of. Each path or pattern has the answer to its shortest example. ",
      "Deeper paths have the answer of what is above them."),
    tree(nodes));
}

function tree(nodes) {
  const top = el("ul.tree");
  // The lists that are open, from the top.
  const lists = [top];
  for (const node of nodes) {
    lists.length = node.depth + 1;
    const item = el(`li${node.allowed === null ? "" : node.allowed ? ".yes" : ".no"}`, null,
      sign(node.allowed), " ", el("code", null, node.label), " ", el("span.why", null, node.words));
    lists[node.depth].append(item);
    const below = el("ul");
    // It is added when something is in it.
    lists[node.depth + 1] = { append: (child) => { item.append(below); below.append(child); } };
  }
  return top;
}

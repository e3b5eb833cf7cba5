// The parts of the answer as tabs: one is shown at a time. The arrow keys go from one to the next.

import { byId } from "./dom.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const panelOf = (tab) => byId(tab.getAttribute("aria-controls"));

/// Shows the panel of a tab.
function choose(chosen) {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    panelOf(tab).hidden = !isChosen;
  }
}

/// Shows the panel that an element is in.
export function reveal(element) {
  const tab = tabs.find((one) => panelOf(one).contains(element));
  if (tab !== undefined) choose(tab);
}

const STEPS = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

tabs.forEach((tab, at) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const last = tabs.length - 1;
    const next = Math.abs(step) === 1 ? (at + step + tabs.length) % tabs.length : step < 0 ? 0 : last;
    choose(tabs[next]);
    tabs[next].focus();
  });
});

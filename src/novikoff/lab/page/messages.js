// What the page says to its user beside the numbers: errors, which stay in view until they are settled, and announcements for
// screen readers.

import { byId } from "./dom.js";

// An empty sentence takes the error away.
export function showError(sentence) {
  byId("alert").textContent = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  byId("alert").hidden = !sentence;
}

export function announce(sentence) {
  byId("status").textContent = sentence;
}

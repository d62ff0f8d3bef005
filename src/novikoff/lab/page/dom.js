// Elements of the page: found, made, and given attributes.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
  return node;
}

export function html(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  set(node, attributes);
  node.append(...children);
  return node;
}

export function svgText(text, attributes) {
  return svg("text", attributes, text);
}

export const option = (value, text) => html("option", { value, textContent: text });

// Writes the sentence that describes a drawing below it, and as its name for screen readers.
export function describe(drawing, caption, sentence) {
  caption.textContent = sentence;
  set(drawing, { "aria-label": sentence || "Nothing yet" });
}

// Elements of attributes and text. Nothing in the page is ever read as markup.

export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") node.addEventListener(key, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  fill(node, ...children);
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  return node;
}

let last = 0;

/** An id that no other element of the page has. */
export const newId = (prefix) => `${prefix}-${++last}`;

/** The language in which a text of the law is written. */
export const languageOf = (text) => (/[\u0900-\u097f]/.test(text) ? "hi" : "en");

/** A text of the law, which stays in its language. */
export const law = (name, text, attributes = {}) => el(name, { lang: languageOf(text), ...attributes }, text);

/** A sentence whose numbers are those of telephones. */
export const callable = (text) => el("span", { lang: languageOf(text) }, text.split(/(\b\d{3,11}\b)/).map((part, at) =>
  at % 2 ? el("a", { href: `tel:${part}` }, part) : part));

/** A label above its control. */
export function field(label, control, hint = "") {
  control.id ||= newId("field");
  const note = hint && el("p", { id: `${control.id}-hint`, class: "hint" }, hint);
  if (note) control.setAttribute("aria-describedby", note.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, note);
}

export function options(select, choices, chosen) {
  return fill(
    select,
    choices.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
}

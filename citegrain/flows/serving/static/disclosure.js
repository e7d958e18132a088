// What is fetched when it is opened, and what stands there meanwhile or where that fails.

import { el, fill } from "./dom.js";
import { t } from "./strings.js";

/** A problem in plain words; where it is none of the question's, with a way to try again. */
export function trouble(error, again) {
  const said = error.status === 0 ? t("error.no-answer")
    : error.status === 503 ? t("error.busy")
    : error.status >= 500 ? t("error.inside")
    : error.message || t("error.inside");
  const own = error.status > 0 && error.status < 500 && error.message;
  return el("div", { class: "trouble", role: "alert" },
    el("p", { lang: own ? "en" : false }, said),
    !own && again && el("button", { type: "button", click: again }, t("error.again")),
    !own && error.id && el("p", { class: "hint" }, t("error.id", { id: error.id })));
}

/** Fill a node with what a promise gives; `load` returns what may be appended. */
export async function fillLater(node, load, waiting = t("waiting")) {
  node.setAttribute("aria-busy", "true");
  fill(node, el("p", { class: "hint" }, waiting));
  try {
    fill(node, await load());
  } catch (error) {
    fill(node, trouble(error, () => fillLater(node, load, waiting)));
  }
  node.removeAttribute("aria-busy");
}

/** The same for what was asked for by a button: its heading gets the focus, and is read out. */
export async function fillAndFocus(node, load) {
  await fillLater(node, load);
  node.querySelector("h2")?.focus();
}

/** Details whose content is fetched once, when they are first opened. */
export function disclosure(summary, load, open = false) {
  const body = el("div", { class: "disclosed" });
  const details = el("details", { open }, el("summary", {}, summary), body);
  const first = () => details.open && !body.firstChild && fillLater(body, load);
  details.addEventListener("toggle", first);
  first();
  return details;
}

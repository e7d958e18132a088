// A text whose citations are checked.

import { post } from "./api.js";
import { fillAndFocus } from "./disclosure.js";
import { el, field, fill, languageOf, law } from "./dom.js";
import { readAt } from "./provision.js";
import { dayText, saidOf, t } from "./strings.js";

const RIGHT = new Set(["in_force", "indexed"]);
const UNKNOWN = new Set(["not_indexed", "act_not_named"]);
const verdict = (status) => (RIGHT.has(status) ? "right" : UNKNOWN.has(status) ? "unknown" : "wrong");
const EXAMPLE = "He is charged under section 420 of the Indian Penal Code and section 999 of the Bharatiya Nyaya Sanhita, 2023.";

/** The text with its citations marked. Positions are those of characters, not of UTF-16 units. */
function marked(text, citations) {
  const letters = [...text];
  const parts = [];
  let at = 0;
  for (const one of citations) {
    if (one.start < at || one.end > letters.length) continue;
    parts.push(letters.slice(at, one.start).join(""), el("mark", { class: verdict(one.status) }, letters.slice(one.start, one.end).join("")));
    at = one.end;
  }
  return el("div", { class: "checked-text", lang: languageOf(text) }, parts, letters.slice(at).join(""));
}

function row(one, build, day) {
  const said = one.provision_id ? el("a", { href: readAt(one.provision_id, build, day) }, law("span", one.words)) : law("span", one.words);
  return el("li", { class: verdict(one.status) },
    el("span", { class: "verdict" }, t(`status.${one.status}`)), " ", said,
    el("div", { class: "hint" }, law("span", [one.title, one.heading].filter(Boolean).join(": "))),
    one.message && law("p", saidOf(one.message)));
}

function result(text, reply, build) {
  if (!reply.citations.length) return el("h2", { tabindex: -1 }, t("check.none"));
  const wrong = reply.citations.filter((one) => verdict(one.status) === "wrong").length;
  return [
    el("h2", { tabindex: -1 }, wrong ? t("check.wrong", { n: wrong }) : t("check.right")),
    el("p", { class: "facts" }, `${t("check.read", { n: reply.citations.length })} · ${t("answer.law-of", { day: dayText(reply.as_of) })}`,
      reply.dated && ` (${t("check.dated")})`),
    marked(text, reply.citations),
    el("ul", { class: "verdicts" }, reply.citations.map((one) => row(one, build, reply.as_of))),
    el("p", { class: "hint" }, t("check.unknown")),
  ];
}

export function checkView({ settings, build }) {
  const text = el("textarea", { rows: 8, maxlength: 200000, required: true });
  const day = el("input", { type: "date", max: settings.today });
  const place = el("div", { class: "result" });
  const send = (event) => {
    event?.preventDefault();
    const given = text.value;
    return fillAndFocus(place, async () => result(given, await post("v1/check", { text: given, as_of: day.value, build }), build));
  };
  const example = el("button", { type: "button", class: "quiet", click: () => {
    text.value = EXAMPLE;
    send();
  } }, t("check.example"));
  fill(place, el("p", { class: "empty" }, t("check.empty")));
  return el("div", {},
    el("form", { class: "ask", submit: send },
      el("h1", { class: "big" }, t("check.title")),
      field(t("check.label"), text, t("check.hint")),
      field(t("check.day"), day, t("check.day-hint")),
      el("div", { class: "buttons" }, el("button", { class: "primary" }, t("check.button")), example)),
    place);
}

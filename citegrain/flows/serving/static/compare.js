// One question answered twice: by two builds, two days or two settings, next to each other.

import { post } from "./api.js";
import { sure } from "./charge.js";
import { fillAndFocus } from "./disclosure.js";
import { el, field, fill, law, options } from "./dom.js";
import { readAt } from "./provision.js";
import { session } from "./session.js";
import { dayText, percent, t } from "./strings.js";

const HOW_MANY = [["0", "compare.as-many"], ["k1", "", 1], ["k3", "", 3], ["k5", "", 5],
  ["k10", "", 10], ["c0.8", "compare.set", "80%"], ["c0.9", "compare.set", "90%"]];

/** The controls of one side, and what they ask for. */
function side(name, { builds, build, today, chosen }) {
  const which = options(el("select"), builds.map((one) => [one, one]), build);
  const day = el("input", { type: "date", max: today });
  const many = options(el("select"), HOW_MANY.map(([value, key, n]) => [value, typeof n === "number" ? t("history.given", { n }) : t(key, { count: n })]), chosen);
  const request = () => ({
    build: which.value, as_of: day.value,
    k: many.value.startsWith("k") ? Number(many.value.slice(1)) : 0,
    confidence: many.value.startsWith("c") ? Number(many.value.slice(1)) : 0,
  });
  const label = () => [which.value, day.value ? dayText(day.value) : t("day.today"), many.selectedOptions[0].textContent].join(" · ");
  const form = el("fieldset", {}, el("legend", {}, name), field(t("app.build"), which), field(t("compare.day"), day, t("compare.day-hint")),
    field(t("compare.many"), many));
  return { form, request, label, day };
}

function column(name, label, answer, other) {
  const places = new Map(other.charges.map((charge, at) => [charge.provision_id, at]));
  const build = answer.build.split("/")[0];
  const moved = (charge, at) => {
    const there = places.get(charge.provision_id);
    if (there === undefined) return t("compare.only");
    return there === at ? t("compare.same") : t("compare.place", { place: there + 1 });
  };
  return el("section", { class: "side", "aria-label": name },
    el("h3", {}, name), el("p", { class: "facts" }, label),
    answer.probability !== null && el("p", { class: "facts" }, t("answer.anything", { probability: percent(answer.probability) })),
    answer.charges.length
      ? el("ol", {}, answer.charges.map((charge, at) => el("li", { class: places.has(charge.provision_id) ? "" : "only", "data-provision": charge.provision_id },
        el("a", { href: readAt(charge.provision_id, build, answer.as_of.day) }, law("span", charge.law)),
        law("div", charge.heading, { class: "hint" }), sure(charge), " ", el("span", { class: "kind" }, moved(charge, at)))))
      : law("p", answer.message || answer.note));
}

export function compareView({ settings, builds, build }) {
  const question = el("textarea", { rows: 3, maxlength: 20000, required: true });
  question.value = session.question;
  const sides = [
    side(t("compare.first"), { builds, build, today: settings.today, chosen: "0" }),
    side(t("compare.second"), { builds, build, today: settings.today, chosen: "k5" }),
  ];
  const place = el("div", { class: "result" });
  const send = (event) => {
    event.preventDefault();
    const labels = sides.map((one) => one.label());
    return fillAndFocus(place, async () => {
      const [a, b] = await Promise.all(sides.map((one) => post("v1/ask", { question: question.value.trim(), ...one.request() })));
      const equal = JSON.stringify(a.charges.map((c) => c.provision_id)) === JSON.stringify(b.charges.map((c) => c.provision_id));
      return [
        el("h2", { tabindex: -1 }, t(equal ? "compare.equal" : "compare.differ")),
        el("div", { class: "sides" }, column(t("compare.first"), labels[0], a, b), column(t("compare.second"), labels[1], b, a)),
      ];
    });
  };
  fill(place, el("p", { class: "empty" }, t("compare.empty")));
  return el("div", {},
    el("form", { class: "ask", submit: send },
      el("h1", { class: "big" }, t("compare.title")),
      field(t("compare.question"), question),
      el("div", { class: "sides" }, sides.map((one) => one.form)),
      el("div", { class: "buttons" }, el("button", { class: "primary" }, t("compare.button")))),
    place);
}

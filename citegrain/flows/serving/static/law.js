// The law of a build: a provision to read, the documents that are indexed, what changed since the build before.

import * as api from "./api.js";
import { dayChooser } from "./days.js";
import { disclosure, fillAndFocus, fillLater } from "./disclosure.js";
import { el, field, fill, law } from "./dom.js";
import { pageFigure } from "./picture.js";
import { changeOf, furtherParts, readAt } from "./provision.js";
import { dayText, t } from "./strings.js";

const PAGE = 50; // changes that are shown at once

function provisionView(row, build) {
  const where = { day: row.as_of, build };
  return el("article", { class: "reading" },
    el("h2", { tabindex: -1 }, law("span", row.law), row.heading && ": ", law("span", row.heading)),
    el("p", { class: "facts" }, t(row.in_force ? "law.in-force" : "law.not-in-force", { day: dayText(row.as_of) })),
    el("div", { class: "panel" },
      el("div", { class: "words" }, furtherParts(row.provision_id, where, row)),
      pageFigure(row, where)));
}

/** Several provisions, each to choose: the sections of a document, or what words may mean. */
function choicesOf(title, choices, build, day) {
  return [
    el("h2", { tabindex: -1 }, title),
    el("ul", { class: "choices-of" }, choices.map(([id, words]) => el("li", {},
      el("a", { href: readAt(id, build, day) }, law("span", words))))),
  ];
}

async function contentsOf(act, acts, build, day) {
  const rows = await api.contents(act, { as_of: day, build });
  const title = acts.find((one) => one.act === act)?.title ?? act;
  const choices = rows.map((row) => [row.provision_id, [row.provision, row.heading].filter(Boolean).join(": ")]);
  return choicesOf(law("span", title), choices, build, day);
}

function reader({ settings, build, acts }, wanted) {
  const cite = el("input", { type: "text", maxlength: 300, required: true, spellcheck: "false", autocomplete: "off" });
  const place = el("div", { class: "result" });
  let id = wanted.get("id") ?? "";
  const given = wanted.get("day") ?? "";
  let day = /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given)) ? given : "";
  const read = (how = fillLater) => how(place, async () => {
    const where = { as_of: day, build };
    if (id && !id.includes("/")) return contentsOf(id, acts, build, day);
    let row;
    try {
      row = await (id ? api.provision(id, where) : api.provisionByWords(cite.value.trim(), where));
    } catch (error) {
      if (!Object.keys(error.choices ?? {}).length) throw error;
      return choicesOf(t("law.which"), Object.entries(error.choices), build, day);
    }
    id = row.provision_id;
    cite.value = row.law;
    return provisionView(row, build);
  });
  const chooser = dayChooser({ acts, today: settings.today, day, choose: (chosen) => {
    day = chosen;
    if (id) read();
  } });
  if (id) read();
  else fill(place, el("p", { class: "empty" }, t("law.empty")));
  return [
    el("form", { class: "ask", submit: (event) => {
      event.preventDefault();
      id = "";
      read(fillAndFocus);
    } },
    el("h1", { class: "big" }, t("law.title")),
    el("div", { class: "row-form" }, field(t("law.cite"), cite, t("law.cite-hint")), el("button", { class: "primary" }, t("law.read"))),
    chooser),
    place,
  ];
}

function documents(acts, build) {
  const rows = acts.map((act) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: readAt(act.act, build) }, law("span", act.title))),
    el("td", {}, act.in_force_from ? dayText(act.in_force_from) : t("law.unknown")),
    el("td", {}, act.in_force_to ? dayText(act.in_force_to) : "–"),
    el("td", {}, act.version ? dayText(act.version) : t("law.unknown")),
    el("td", { class: "number" }, act.sections)));
  const filter = el("input", { type: "search", autocomplete: "off", input: () => {
    const words = filter.value.trim().toLowerCase();
    rows.forEach((row, at) => {
      row.hidden = ![acts[at].title, ...acts[at].names].some((name) => name.toLowerCase().includes(words));
    });
  } });
  const head = ["law.document", "law.from", "law.to", "law.text-of", "law.sections"];
  return [
    el("p", { class: "hint" }, t("law.documents-hint")),
    field(t("law.filter"), filter),
    el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t("law.document") },
      el("table", {}, el("thead", {}, el("tr", {}, head.map((key) => el("th", { scope: "col" }, t(key))))), el("tbody", {}, rows))),
  ];
}

function sinceLastBuild(build, acts) {
  const place = el("div", { "aria-live": "polite" });
  const titles = new Map(acts.map((act) => [act.act, act.title]));
  const called = (row) => law("span", `${titles.get(row.act) ?? row.act}, ${row.provision}`);
  const load = (start) => async () => {
    const reply = await api.changes({ build, start, most: PAGE }).catch((error) => {
      if (error.status === 404) return null;
      throw error;
    });
    if (!reply) return el("p", {}, t("changes.no-build"));
    if (!reply.total) return el("p", {}, t("changes.none"));
    const more = start + PAGE < reply.total && el("button", { type: "button", click: () => fillLater(place, load(start + PAGE)) }, t("changes.more"));
    return [
      reply.rolled_back && el("p", { class: "hint" }, t("changes.rolled-back", { day: reply.rolled_back.slice(0, 10) })),
      el("p", {}, t("changes.total", { n: reply.total })),
      reply.changes.map((row) => [el("h3", {}, row.new_id ? el("a", { href: readAt(row.new_id, build) }, called(row)) : called(row)), changeOf(row)]),
      more,
    ];
  };
  const button = el("button", { type: "button", click: () => fillLater(place, load(0), t("changes.waiting")) }, t("changes.show"));
  fill(place, button);
  return [el("p", { class: "hint" }, t("changes.hint")), place];
}

export function lawView(context, wanted) {
  const { acts, build } = context;
  return el("div", {}, reader(context, wanted), el("div", { class: "below" },
    disclosure(t("law.documents", { n: acts.length }), () => documents(acts, build), !wanted.has("id")),
    disclosure(t("changes.title"), () => sinceLastBuild(build, acts))));
}

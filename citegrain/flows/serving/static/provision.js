// One provision: its whole text on a day, what cites it, what changed.

import * as api from "./api.js";
import { el, law, languageOf } from "./dom.js";
import { disclosure, fillLater } from "./disclosure.js";
import { dayText, has, saidOf, t } from "./strings.js";

/** The address within the page at which a provision is read. */
export const readAt = (id, build, day = "") =>
  `#law?${new URLSearchParams({ id, ...(build && { build }), ...(day && { day }) })}`;

const linkTo = (id, build, day, ...words) => el("a", { href: readAt(id, build, day) }, ...words);

function dayBefore(day) {
  const before = new Date(`${day}T00:00Z`);
  before.setUTCDate(before.getUTCDate() - 1);
  return before.toISOString().slice(0, 10);
}

/** A text of the law, a paragraph for each line. */
export function lawText(text) {
  const lines = text.split(/\n+/).filter((line) => line.trim());
  return el("div", { class: "law-text", lang: languageOf(text) }, lines.map((line) => el("p", {}, line)));
}

/** What to mind, the service's words for commands left out: that a text is no law is said by the page itself. */
function warnings(row, build) {
  const ended = row.valid_to && row.valid_to < row.as_of;
  return [
    !row.in_force && el("p", { class: "notice" }, t("law.not-in-force", { day: dayText(row.as_of) }), ". ",
      ended && linkTo(row.provision_id, build, row.valid_to, t("law.last-day", { day: dayText(row.valid_to) }))),
    row.remarks.slice(row.in_force ? 0 : 1).map((remark) => law("p", saidOf(remark), { class: "notice" })),
  ];
}

function wholeText(row, build) {
  return [
    warnings(row, build),
    row.text ? lawText(row.text) : el("p", { class: "hint" }, t("provision.no-text")),
    el("p", { class: "hint" },
      row.version ? t("provision.version", { day: dayText(row.version) }) : t("provision.no-version")),
  ];
}

export function otherLaw(row, build) {
  const other = row.replacement;
  if (!other) return null;
  const old = other.relation === "successor";
  const lead = other.since
    ? t(old ? "other.since" : "other.before", { day: dayText(other.since) })
    : t(old ? "other.replaced-by" : "other.replaced");
  const day = old ? other.since : other.since && dayBefore(other.since);
  const rows = row.counterparts.filter((one) => one.act === other.act);
  const links = rows.map((one) => el("li", {},
    linkTo(one.provision_id, build, day, t("other.section", { number: one.section })), " ", law("span", one.heading)));
  return el("div", { class: "other" },
    el("p", {}, lead, " ", law("span", other.title)),
    rows.length ? el("ul", {}, links)
      : el("p", { class: "hint" }, t(other.in_build ? "other.no-section" : "other.not-here")));
}

async function sinceLastBuild(id, act, build) {
  let rows;
  try {
    rows = await api.changes({ act, build, most: 1000 });
  } catch (error) {
    if (error.status === 404) return el("p", {}, t("changes.no-build"));
    throw error;
  }
  const mine = rows.changes.filter((row) => id === row.new_id || id === row.old_id);
  return mine.length ? mine.map(changeOf) : el("p", {}, t("changes.none-here"));
}

/** A change between two builds: the words that went and those that came. */
export function changeOf(row) {
  const kind = has(`change.${row.kind}`) ? t(`change.${row.kind}`) : row.kind;
  return el("div", { class: "change" },
    el("p", {}, el("strong", {}, kind), row.heading && ": ", row.heading && law("span", row.heading)),
    row.old_words.map((words) => law("del", words)),
    row.new_words.map((words) => law("ins", words)),
    row.evidence && law("p", row.evidence, { class: "hint" }));
}

function changed(row, build, level) {
  const since = el("div");
  fillLater(since, () => sinceLastBuild(row.provision_id, row.act, build), t("changes.waiting"));
  return [
    row.valid_from && el("p", {}, t("changes.valid-from", { day: dayText(row.valid_from) })),
    row.valid_to && el("p", {}, t("changes.valid-to", { day: dayText(row.valid_to) })),
    row.notes.length
      ? [el(level, {}, t("changes.notes")), el("ul", { class: "notes" }, row.notes.map((note) => law("li", note)))]
      : el("p", {}, t("changes.no-notes")),
    otherLaw(row, build),
    el(level, {}, t("changes.between-builds")),
    since,
  ];
}

function edgeOf(row, build) {
  const label = row.other.includes("/") && !row.reason
    ? linkTo(row.other, build, "", law("span", row.label))
    : law("span", row.label);
  const kind = has(`edge.${row.direction}.${row.kind}`) ? t(`edge.${row.direction}.${row.kind}`) : row.kind.replaceAll("_", " ");
  return el("li", {}, el("span", { class: "kind" }, kind), " ", label,
    row.words && law("q", row.words), row.reason && el("span", { class: "hint" }, ` (${has(`reason.${row.reason}`) ? t(`reason.${row.reason}`) : row.reason.replaceAll("_", " ")})`));
}

function around(reply, build, level) {
  const part = (direction) => {
    const rows = reply.edges.filter((row) => row.direction === direction);
    return [
      el(level, {}, t(`edges.${direction}`)),
      rows.length ? el("ul", { class: "edges" }, rows.map((row) => edgeOf(row, build)))
        : el("p", { class: "hint" }, t(`edges.no-${direction}`)),
    ];
  };
  return [part("in"), part("out")];
}

/** What may be opened below a provision; `given`: it is there already, and all that is read. */
export function furtherParts(id, { day, build }, given = null) {
  const level = given ? "h3" : "h5";
  let row;
  const once = () => (row ??= given ? Promise.resolve(given) : api.provision(id, { as_of: day, build }).catch((error) => {
    row = undefined;
    throw error;
  }));
  return el("div", { class: "further" },
    disclosure(t("provision.whole"), async () => wholeText(await once(), build), Boolean(given)),
    disclosure(t("provision.neighbours"), async () => around(await api.neighbours(id, build), build, level)),
    disclosure(t("provision.changed"), async () => changed(await once(), build, level)));
}

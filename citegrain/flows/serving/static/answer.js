// An answer: what applies by group, why there is nothing, and what to do if it is not what was meant.

import { chargeItem } from "./charge.js";
import { callable, el, field, languageOf, law, newId, options } from "./dom.js";
import { Judging } from "./judging.js";
import { currentLanguage, dayText, has, percent, saidOf, t } from "./strings.js";

const list = (rows, answer, judging, open = false) =>
  el("ul", { class: "charges" }, rows.map((row, at) => chargeItem(row, answer, judging, open && at === 0)));

function group(title, content, hint = "") {
  const head = el("h3", { id: newId("group") }, title);
  return el("section", { class: "group", "aria-labelledby": head.id }, head, hint && el("p", { class: "hint" }, hint), content);
}

/** The law, or the two, that a question may be about. */
const otherLaws = ({ elsewhere }) => (currentLanguage() === "en" ? elsewhere
  : elsewhere.replace(/^The /, "").replace(", or the ", t("otherwise.or")));

/** Why a question was declined. The service says it in English; the page in the language of its reader. */
function refusal(answer) {
  const key = `declined.${answer.elsewhere && has(`declined.${answer.reason}-elsewhere`) ? `${answer.reason}-elsewhere` : answer.reason}`;
  if (currentLanguage() === "en" || !has(key)) return law("p", saidOf(answer.message || answer.note), { class: "lead" });
  const named = answer.reason === "not_law" || answer.message.endsWith(" is not indexed here.");
  const which = named && law("span", ` ${saidOf(answer.message)}`, { class: "hint" }); // what, and until when
  return el("p", { class: "lead" }, t(key, { elsewhere: otherLaws(answer) }), which);
}

/** How a question was read: of one that differs in a few words, these alone. */
function readAs(question, read) {
  const [before, after] = [question, read].map((text) => text.trim().split(/\s+/));
  const differ = after.map((word, at) => [before[at], word]).filter(([one, other]) => one !== other);
  if (before.length !== after.length || 3 * differ.length > after.length) return law("q", read);
  return differ.map(([one, other], at) => [at > 0 && ", ", law("q", one), " → ", law("q", other)]);
}

function notices(answer) {
  const remarks = [...answer.conflicts, ...answer.remarks, ...answer.unresolved];
  return [
    answer.charges.length > 0 && answer.message && law("p", saidOf(answer.message), { class: "notice" }),
    answer.words.read_as && answer.reason !== "despair" && el("p", {}, t("answer.read-as"), " ", readAs(answer.query, answer.words.read_as)),
    answer.words.cut && el("p", { class: "notice" }, t("answer.cut", { read: answer.words.encoded, all: answer.words.asked })),
    answer.as_of.uncertain && el("p", { class: "notice", lang: "en" }, saidOf(answer.as_of.why)),
    answer.error && el("p", { class: "notice", lang: "en" }, answer.error),
    remarks.map((remark) => law("p", saidOf(remark), { class: "notice" })),
  ];
}

function facts(answer, several) {
  const parts = [
    t("answer.law-of", { day: dayText(answer.as_of.day) }),
    answer.as_of.evidence && t("answer.day-words", { words: answer.as_of.evidence }),
    answer.probability !== null && t("answer.anything", { probability: percent(answer.probability) }),
    several && t("answer.build", { build: answer.build.split("/")[0] }),
  ];
  return el("p", { class: "facts" }, parts.filter(Boolean).join(" · "));
}

function prose(answer) {
  if (!answer.prose) return null;
  const references = answer.references.map((one) => law("li", `${one.law}, ${one.link}`, { value: one.number }));
  return group(t("answer.prose"), [answer.prose.split(/\n+/).map((line) => law("p", line)), el("ol", { class: "facts" }, references)]);
}

function inFile(answer, file) {
  if (!answer.uploads.length) return null;
  const address = file && URL.createObjectURL(file);
  const where = (row) => row.page ? t("charge.place", { file: row.file, page: row.page }) : row.file;
  return group(t("answer.in-file"), el("ul", { class: "passages" }, answer.uploads.map((row) => el("li", {},
    law("blockquote", row.text),
    el("p", { class: "facts" }, address
      ? el("a", { href: `${address}#page=${row.page || 1}`, target: "_blank", rel: "noopener" }, where(row))
      : where(row))))));
}

function landmarks(answer) {
  if (!answer.landmarks.length) return null;
  return group(t("answer.landmarks"), el("ul", {}, answer.landmarks.map((row) => law("li", row.law))));
}

/** What applies to all of the question, and to none of its matters alone. */
function toAll({ charges, matters }) {
  const given = new Set(matters.flatMap((matter) => matter.charges.map((row) => row.provision_id)));
  return charges.filter((row) => !given.has(row.provision_id));
}

function applying(answer, judging) {
  if (!answer.matters.length) return group(t("answer.apply"), list(answer.charges, answer, judging, true));
  const rest = toAll(answer);
  return [
    el("p", { class: "notice" }, t("answer.matters", { n: answer.matters.length })),
    answer.matters.map((matter, at) => group(t("answer.matter", { number: at + 1 }), [
      el("div", { class: "words" }, el("blockquote", { lang: "" }, matter.words)), list(matter.charges, answer, judging, at === 0)])),
    rest.length > 0 && group(t("answer.whole"), list(rest, answer, judging)),
  ];
}

function otherwise(answer, acts, again) {
  const select = options(el("select"), [["", t("otherwise.all")], ...acts.map((act) => [act.act, act.title])], "");
  const form = el("form", { class: "row-form", submit: (event) => {
    event.preventDefault();
    again({ act: select.value, k: 10 });
  } }, field(t("otherwise.where"), select), el("button", {}, t("otherwise.ten")));
  return el("details", { class: "otherwise", open: !answer.charges.length },
    el("summary", {}, t("otherwise.title")),
    el("div", { class: "disclosed" },
      el("p", {}, answer.elsewhere ? [t("otherwise.elsewhere"), " ", law("strong", otherLaws(answer)), t("otherwise.not-here")]
        : answer.reason !== "not_indexed" && t("otherwise.nothing-else")),
      el("p", {}, t("otherwise.words")),
      form));
}

/**
 * What is shown of an answer.
 *
 * `acts`: the documents of its build; `again`: asks once more with other settings; `file`: the file that was
 * asked; `feedback`: whether judgements are taken; `several`: whether there are other builds.
 */
export function answerView(answer, { acts, again, file, feedback, several }) {
  const judging = feedback ? new Judging(answer.query, answer.build.split("/")[0]) : null;
  const given = answer.matters.reduce((sum, matter) => sum + matter.charges.length, toAll(answer).length);
  const head = el("h2", { tabindex: -1 }, given ? t("answer.title", { n: given }) : t("answer.none"));
  const others = answer.others.length > 0 && group(given ? t("answer.others") : t("answer.nearest"),
    list(answer.others, answer, judging), given ? "" : t("answer.nearest-hint"));
  return el("article", { class: "answer", "data-answer": answer.decision },
    answer.urgent && el("div", { class: "urgent", role: "note" }, currentLanguage() !== languageOf(answer.urgent) && el("strong", {}, `${t("answer.urgent")} `), callable(answer.urgent)),
    head,
    given ? null : refusal(answer),
    facts(answer, several),
    notices(answer),
    prose(answer),
    inFile(answer, file),
    given > 0 && applying(answer, judging),
    others,
    landmarks(answer),
    otherwise(answer, acts, again),
    judging?.bar,
    el("p", { class: "advice" }, t("answer.advice")));
}

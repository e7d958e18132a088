// A provision of an answer: a row that says how sure it is, and what opens below it.

import { el, law, newId } from "./dom.js";
import { pageFigure } from "./picture.js";
import { furtherParts, otherLaw } from "./provision.js";
import { dayText, has, jurisdictionText, percent, saidOf, t } from "./strings.js";

const SHOWN = new Set(`law heading description probability primary likelihood score evidence text version act
  provision_id section page link url chunk_id verification replacement counterparts falls landmarks
  eli jurisdiction effective_date source_url may_have_changed may_have_changed_since`.split(/\s+/));

/** How sure: a word and a figure, for which colour is no more than a help. */
export function sure(charge) {
  if (charge.probability === null) return null;
  return el("span", { class: `sure ${charge.likelihood}` },
    el("span", { class: "figure" }, percent(charge.probability)), " ", t(`likelihood.${charge.likelihood}`));
}

/** Where the text comes from: a link that is followed, never loaded. */
function source(address) {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.protocol === "https:" && el("a", { href: url.href, rel: "noopener noreferrer", target: "_blank" }, url.host);
}

function facts(charge) {
  const attributes = Object.entries(charge).filter(([name, value]) => !SHOWN.has(name) && typeof value === "string" && value);
  const rows = [
    charge.primary !== null && [t("charge.primary"), percent(charge.primary)],
    charge.link && [t("charge.stands-in"), charge.page ? t("charge.place", { file: charge.link.split("#")[0], page: charge.page }) : charge.link],
    charge.effective_date && [t("charge.effective"), dayText(charge.effective_date)],
    charge.version && [t("charge.version"), dayText(charge.version)],
    charge.jurisdiction && [t("charge.jurisdiction"), jurisdictionText(charge.jurisdiction)],
    charge.source_url && [t("charge.source"), source(charge.source_url) || charge.source_url],
    ...attributes.map(([name, value]) => [
      has(`attribute.${name}`) ? t(`attribute.${name}`) : name.replaceAll("_", " "), law("span", value)]),
  ];
  return el("dl", {}, rows.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function panel(charge, answer, judging) {
  const where = { day: answer.as_of.day, build: answer.build.split("/")[0] };
  return [
    el("div", { class: "words" },
      charge.verification !== "verified" &&
        el("p", { class: "notice" }, t(has(`verification.${charge.verification}`) ? `verification.${charge.verification}` : "verification.unverified")),
      charge.may_have_changed && el("p", { class: "notice" }, law("span", saidOf(charge.may_have_changed))),
      charge.evidence && law("blockquote", charge.evidence),
      facts(charge),
      otherLaw(charge, where.build),
      (charge.falls ?? []).map((fall) => el("p", { class: "notice" }, law("span", `${fall.law}: ${fall.words}`))),
      furtherParts(charge.provision_id, where),
      judging?.thumbs(charge)),
    pageFigure(charge, { ...where, passage: charge.evidence }),
  ];
}

/** An item of a list; what it opens is built when it is first opened. */
export function chargeItem(charge, answer, judging, open = false) {
  const body = el("div", { class: "panel", id: newId("panel"), hidden: true });
  const toggle = el("button", { type: "button", class: "row", "aria-expanded": "false", "aria-controls": body.id,
    click: () => show(body.hidden) },
    el("span", { class: "title" }, law("span", charge.heading || charge.description || charge.law, { class: "heading" }),
      law("span", charge.law, { class: "place" })),
    sure(charge));
  function show(opened) {
    if (opened && !body.firstChild) body.append(...panel(charge, answer, judging).filter(Boolean));
    body.hidden = !opened;
    toggle.setAttribute("aria-expanded", String(opened));
  }
  if (open) show(true);
  return el("li", { class: "charge", "data-provision": charge.provision_id }, el("h4", {}, toggle), body);
}

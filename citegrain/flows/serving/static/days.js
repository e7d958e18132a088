// The day whose law applies: a slider whose stops are the days on which the law of this build changed.

import { el, fill, newId } from "./dom.js";
import { dayText, some, t } from "./strings.js";

const PATIENCE = 350; // ms after the last move of the slider

function after(day) {
  const next = new Date(`${day}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/** The days on which Acts began or ended, each with their titles, and today. */
export function stopsOf(acts, today) {
  const stops = new Map();
  const note = (day, kind, title) => {
    if (!day || day > today) return;
    if (!stops.has(day)) stops.set(day, { day, began: [], ended: [] });
    stops.get(day)[kind].push(title);
  };
  const versions = Map.groupBy?.(acts, (act) => act.act) ?? new Map();
  for (const act of acts) {
    note(act.in_force_from, "began", act.title);
    if (act.in_force_to) note(after(act.in_force_to), "ended", act.title);
    if ((versions.get(act.act) ?? []).length > 1) note(act.version, "began", act.title);
  }
  if (!stops.has(today)) stops.set(today, { day: today, began: [], ended: [] });
  return [...stops.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

function happened(stop) {
  return [
    stop.began.length ? t("day.began", { n: stop.began.length, list: some(stop.began) }) : "",
    stop.ended.length ? t("day.ended", { n: stop.ended.length, list: some(stop.ended) }) : "",
  ].filter(Boolean).join(" ");
}

/** The day as the service takes it where the question itself is to say which. */
export const AUTO = "auto";

/**
 * A chooser of the day; `choose` is called with YYYY-MM-DD, with nothing for today, or with AUTO, which is
 * offered where `words` says so.
 */
export function dayChooser({ acts, today, day, choose, words = false }) {
  const stops = stopsOf(acts, today);
  const at = (value) => Math.max(0, stops.findLastIndex((stop) => stop.day <= value));
  const note = el("p", { class: "hint day-note", id: newId("day-note") });
  const range = el("input", { type: "range", min: 0, max: stops.length - 1, step: 1, id: newId("days"),
    "aria-describedby": note.id });
  const exact = el("input", { type: "date", max: today, min: "1800-01-01", "aria-label": t("day.exact"), required: true });
  const reset = el("button", { type: "button", class: "quiet", click: () => set(today) }, t("day.today"));
  const auto = words && el("button", { type: "button", class: "quiet", "aria-pressed": "false",
    click: () => set(auto.getAttribute("aria-pressed") === "true" ? today : AUTO) }, t("day.from-words"));
  let waiting;

  function show(chosen) {
    const value = chosen === AUTO ? today : chosen;
    if (auto) auto.setAttribute("aria-pressed", String(chosen === AUTO));
    const stop = stops[at(value)];
    range.value = String(at(value));
    exact.value = value;
    range.setAttribute("aria-valuetext", value === today ? `${dayText(value)}, ${t("day.today")}` : dayText(value));
    reset.disabled = chosen === today;
    if (chosen === AUTO) return fill(note, t("day.auto"));
    const events = stop.day === value ? happened(stop) : "";
    return fill(note, events || (value === today ? t("day.of-today") : t("day.since", { day: dayText(stop.day) })));
  }

  function set(value) {
    show(value);
    clearTimeout(waiting);
    waiting = setTimeout(() => choose(value === today ? "" : value), PATIENCE);
  }

  range.disabled = stops.length < 2;
  range.addEventListener("input", () => set(stops[Number(range.value)].day));
  exact.addEventListener("change", () => exact.validity.valid && set(exact.value));
  show(day || today);
  return el("div", { class: "day" },
    el("label", { for: range.id }, t("day.label")),
    el("div", { class: "day-row" }, range, el("div", { class: "buttons" }, exact, reset, auto)),
    note);
}

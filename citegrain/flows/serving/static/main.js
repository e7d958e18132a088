// The frame of the page: its views, its build and its language.

import { getJson } from "./api.js";
import { askView } from "./ask.js";
import { checkView } from "./check.js";
import { compareView } from "./compare.js";
import { trouble } from "./disclosure.js";
import { el, fill, options } from "./dom.js";
import { lawView } from "./law.js";
import { save, session } from "./session.js";
import { LANGUAGES, chooseLanguage, currentLanguage, loadLanguage, t } from "./strings.js";

const VIEWS = { ask: askView, check: checkView, law: lawView, compare: compareView };
const app = document.getElementById("app");
const status = el("p", { role: "status", class: "status" });

/** Say something to who listens; `how`: "" for who looks, too, "unseen", or "stays" until something else is said. */
const say = (words, how = "") => {
  status.className = `status ${how}`;
  fill(status, words && el("span", {}, words));
};
const documentsOf = new Map(); // by name of the build
let settings;
let builds;
let turn = 0; // of drawing: who changes view twice sees the second
let views = {}; // those that were shown, by build and address

const route = () => {
  const [name, values] = location.hash.slice(1).split("?");
  return { name: name in VIEWS ? name : "ask", values: new URLSearchParams(values) };
};

async function actsOf(build) {
  if (!documentsOf.has(build)) documentsOf.set(build, await getJson("v1/acts", { build }));
  return documentsOf.get(build);
}

function buildOf(values) {
  const asked = [values.get("build"), session.build, settings.build].find((name) => builds.includes(name));
  return asked ?? builds[0] ?? "";
}

function header(name, build) {
  const links = Object.keys(VIEWS).map((view) =>
    el("li", {}, el("a", { href: `#${view}`, "aria-current": view === name ? "page" : false }, t(`nav.${view}`))));
  const language = options(el("select", { "aria-label": `${t("app.language")} / Language / भाषा`, change: async () => {
    await chooseLanguage(language.value);
    await draw(true);
    document.querySelector("header select:last-of-type")?.focus();
  } }), Object.entries(LANGUAGES), currentLanguage());
  for (const option of language.options) option.lang = option.value;
  const which = builds.length > 1 && options(el("select", { "aria-label": t("app.build"), change: () => {
    save({ build: which.value, act: "", answer: null });
    if (name === "law") history.replaceState(null, "", "#law");
    draw(true);
  } }), builds.map((one) => [one, one]), build);
  return el("header", {},
    el("a", { class: "skip", href: "#main", click: (event) => {
      event.preventDefault();
      document.getElementById("main").focus();
    } }, t("app.skip")),
    el("a", { class: "brand", href: "#ask" }, "citegrain"),
    el("nav", { "aria-label": t("app.views") }, el("ul", {}, links)),
    el("div", { class: "choices" }, which, language));
}

/** Show what the address names. A view stays as it is while another is shown. */
async function draw(anew = false) {
  const { name, values } = route();
  const build = buildOf(values);
  if (anew) views = {};
  const key = `${build} ${name === "law" ? location.hash : name}`;
  const mine = ++turn;
  document.getElementById("main")?.setAttribute("inert", "");
  if (!documentsOf.has(build)) say(t("waiting"), "stays");
  const content = await contentOf(name, build, values, key);
  if (mine !== turn) return;
  document.title = `${t(`nav.${name}`)} · citegrain`;
  const main = el("main", { id: "main", tabindex: -1 }, content);
  say("");
  fill(app, header(name, build), main, status, el("footer", {}, el("p", {}, t("app.foot")), el("p", {}, el("a", { href: "openapi.json" }, t("app.api")))));
}

/** A view, as it was left; else a new one. */
async function contentOf(name, build, values, key) {
  if (!builds.length) return [el("h1", {}, t("app.no-build")), el("p", {}, t("app.no-build-hint"))];
  try {
    const context = { settings, builds, build, acts: await actsOf(build), say };
    return (views[key] ??= VIEWS[name](context, values));
  } catch (error) {
    return trouble(error, () => draw());
  }
}

async function start() {
  try {
    await loadLanguage();
    [settings, builds] = await Promise.all([getJson("page/settings.json"), getJson("v1/builds")]);
    builds = [...new Set(builds.filter((row) => row.state === "current").map((row) => row.name))];
    await draw();
    globalThis.addEventListener("hashchange", async () => {
      await draw();
      document.getElementById("main").focus();
      globalThis.scrollTo(0, 0);
    });
  } catch (error) {
    fill(app, el("main", {}, el("h1", {}, "citegrain"), trouble(error, start)));
  }
}

start();

// The words of the page, in the language that its reader chose.

import { getJson } from "./api.js";
import { languageOf } from "./dom.js";

export const LANGUAGES = { en: "English", hi: "हिन्दी" };
const KEY = "citegrain.language";
let words = {};
let language = "en";

function preferred() {
  const asked = [localStorage.getItem(KEY), ...navigator.languages.map((name) => name.slice(0, 2))];
  return asked.find((name) => name in LANGUAGES) ?? "en";
}

export async function loadLanguage(name = preferred()) {
  words = await getJson(`page/${name}.json`);
  language = name;
  document.documentElement.lang = name;
}

export function chooseLanguage(name) {
  localStorage.setItem(KEY, name);
  return loadLanguage(name);
}

export const currentLanguage = () => language;
/** A sentence; `n` chooses between its forms for one and for many. */
export function t(key, values = {}) {
  const form = "n" in values ? `${key}.${new Intl.PluralRules(language).select(values.n)}` : key;
  const text = words[form] ?? words[`${key}.other`] ?? words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether there is a sentence of this key. */
export const has = (key) => key in words;

export function dayText(day, of = language) {
  if (!day) return "";
  return new Intl.DateTimeFormat(`${of}-IN-u-nu-latn`, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${day}T00:00Z`));
}

/** A sentence of the service, its days written as people do, in the language of the sentence. */
export const saidOf = (text) => text.replace(/\b\d{4}-\d{2}-\d{2}\b/g, (day) =>
  Number.isNaN(Date.parse(day)) ? day : dayText(day, languageOf(text)));

/** Central law, or the State whose it is: of tamil-nadu Tamil Nadu. */
export const jurisdictionText = (name) => (has(`jurisdiction.${name}`) ? t(`jurisdiction.${name}`)
  : name.replace(/[-_]/g, " ").replace(/(^| )\p{L}/gu, (letter) => letter.toUpperCase()));

/** A probability in percent; none that is not certain is called so. */
export function percent(probability) {
  if (probability > 0 && probability < 0.01) return "<1%";
  if (probability > 0.99 && probability < 1) return ">99%";
  return `${Math.round(probability * 100)}%`;
}

/** Titles in a row: A, B and 3 more. */
export function some(titles, most = 2) {
  const more = titles.length - most;
  return more > 0 ? t("list.more", { list: titles.slice(0, most).join(", "), n: more }) : titles.join(", ");
}

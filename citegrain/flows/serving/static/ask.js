// The first view: a question and its answer.

import { answerView } from "./answer.js";
import { post } from "./api.js";
import { AUTO, dayChooser } from "./days.js";
import { trouble } from "./disclosure.js";
import { el, field, fill, options } from "./dom.js";
import { forget, remember, save, session } from "./session.js";
import { currentLanguage, dayText, t } from "./strings.js";
import { contentOf, fileChooser, plainName } from "./upload.js";
import { voiceButton } from "./voice.js";

const SOON = 300; // ms before it is said that something is at work
const EXAMPLES = [ // the Act that answers, in English, in Hindi
  ["code-on-wages-2019", "My employer has not paid my wages for three months",
    "मेरे मालिक ने तीन महीने से वेतन नहीं दिया"],
  ["negotiable-instruments-act-1881", "He paid me with a cheque and the bank sent it back unpaid",
    "उसने मुझे चेक दिया और बैंक ने उसे बिना भुगतान लौटा दिया"],
  ["protection-of-women-from-domestic-violence-act-2005", "My husband beats me and has thrown me out of the house",
    "मेरे पति ने मुझे मारा और घर से निकाल दिया"],
  ["constitution-of-india", "The police arrested my brother and will not tell us why",
    "पुलिस ने मेरे भाई को गिरफ्तार किया और कारण नहीं बताया"],
  ["constitution-of-india", "The village school refuses to admit my daughter because we cannot pay",
    "गाँव का स्कूल मेरी बेटी को दाखिला नहीं देता क्योंकि हम फीस नहीं दे सकते"],
  ["constitution-of-india", "The State took my land for a road and has paid me nothing",
    "सरकार ने सड़क के लिए मेरी ज़मीन ले ली और पैसे नहीं दिए"],
];

function examples(acts, ask) {
  const ids = new Set(acts.map((act) => act.act));
  const some = EXAMPLES.filter(([act]) => ids.has(act)).slice(0, 3);
  const lang = currentLanguage() === "hi" ? "hi" : "en";
  return some.length > 0 && [
    el("h2", {}, t("empty.examples")),
    el("ul", { class: "examples" }, some.map(([, english, hindi]) => lang === "hi" ? hindi : english).map((words) =>
      el("li", {}, el("button", { type: "button", class: "quiet", lang, click: () => ask(words) }, words)))),
  ];
}

function earlier(ask, cleared) {
  if (!session.history.length) return null;
  return el("details", { class: "history" },
    el("summary", {}, t("history.title", { n: session.history.length })),
    el("div", { class: "disclosed" },
      el("ul", {}, session.history.map((one) => el("li", {},
        el("button", { type: "button", class: "quiet", click: () => ask(one.question, one.day) }, one.question),
        el("span", { class: "hint" }, ` ${one.day === AUTO ? t("day.from-words") : one.day ? dayText(one.day) : t("day.today")}, ${t("history.given", { n: one.given })}`)))),
      el("button", { type: "button", click: cleared }, t("history.clear"))));
}

/** The view; `build`: name of the build, `acts`: its documents. */
export function askView({ settings, builds, build, acts, say }) {
  const question = el("textarea", { id: "question", rows: 3, maxlength: 20000, required: true, autocomplete: "off", "aria-describedby": "question-hint" });
  question.value = session.question;
  const titles = acts.map((act) => [act.act, act.title]);
  const only = options(el("select"), [["", t("ask.all", { n: acts.length })], ...titles], session.act);
  const place = el("div", { class: "result" });
  const past = el("div");
  let running = new AbortController();

  async function send({ act = only.value, k = 0, focus = true } = {}) {
    const text = question.value.trim();
    if (!text) {
      say(t("ask.empty"));
      return question.focus();
    }
    running.abort();
    running = new AbortController();
    const { signal } = running;
    save({ question: text, act: only.value, build });
    const timer = setTimeout(() => say(t(session.file ? "waiting.file" : "waiting"), "stays"), SOON);
    place.setAttribute("aria-busy", "true");
    const body = { question: text, build, k, as_of: session.day, acts: act ? [act] : [], matters: true };
    const { file } = session;
    try {
      const answer = file
        ? await post("v1/ask/file", { ...body, file: plainName(file.name), content: await contentOf(file) }, signal)
        : await post("v1/ask", body, signal);
      save({ answer });
      remember({ question: text, day: session.day, given: answer.charges.length });
      show(answer);
      if (focus) place.querySelector("h2").focus();
      say(answer.charges.length ? t("answer.title", { n: answer.charges.length }) : t("answer.none"), "unseen");
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      fill(place, trouble(error, () => send({ act, k })));
      say("");
    } finally {
      clearTimeout(timer);
      if (!signal.aborted) place.removeAttribute("aria-busy");
    }
    return undefined;
  }

  function show(answer) {
    fill(place, answer
      ? answerView(answer, { acts, again: send, file: session.file, feedback: settings.feedback, several: builds.length > 1 })
      : el("div", { class: "empty" }, el("p", {}, t("empty.what")), examples(acts, (words) => ask(words))));
    fill(past, earlier(ask, () => {
      forget();
      question.value = "";
      only.value = "";
      fill(dayPlace, chooser());
      show(null);
      question.focus();
    }));
  }

  function ask(words, day = session.day) {
    question.value = words;
    if (day !== session.day) {
      save({ day });
      fill(dayPlace, chooser());
    }
    return send();
  }

  const chooser = () => dayChooser({ acts, today: settings.today, day: session.day, words: true, choose: (day) => {
    save({ day });
    if (session.answer) send({ focus: false });
  } });
  const dayPlace = el("div", {}, chooser());
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  const form = el("form", { class: "ask", submit: (event) => {
    event.preventDefault();
    send();
  } },
  el("h1", { class: "big" }, el("label", { for: "question" }, t("ask.label"))),
  el("p", { id: "question-hint", class: "hint" }, t("ask.hint")),
  question,
  el("div", { class: "buttons" }, el("button", { class: "primary" }, t("ask.button")), voiceButton(question, say),
    fileChooser(session.file, (file) => save({ file }), say)),
  el("div", { class: "where" }, dayPlace, field(t("ask.where"), only)));
  show(session.answer?.build.split("/")[0] === build ? session.answer : null);
  return el("div", {}, form, place, past);
}

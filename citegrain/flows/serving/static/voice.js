// The browser's recognition of speech, where it has one.

import { el, fill } from "./dom.js";
import { currentLanguage, t } from "./strings.js";

const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

/** A button that writes what is said into a text field; nothing where the browser has no recognition. */
export function voiceButton(target, say) {
  if (!Recognition) return null;
  let running = null;
  const button = el("button", { type: "button", class: "quiet", "aria-pressed": "false", click: () => (running ? running.stop() : start()) },
    t("voice.start"));

  function show(on) {
    button.setAttribute("aria-pressed", String(on));
    fill(button, t(on ? "voice.stop" : "voice.start"));
  }

  function start() {
    const before = target.value.trim();
    let failed = "";
    running = new Recognition();
    Object.assign(running, { lang: `${currentLanguage()}-IN`, interimResults: true, continuous: true });
    running.addEventListener("result", (event) => {
      const said = [...event.results].map((result) => result[0].transcript.trim()).join(" ");
      target.value = [before, said].filter(Boolean).join(" ");
      target.dispatchEvent(new Event("input", { bubbles: true }));
    });
    running.addEventListener("error", (event) => {
      failed = t(event.error === "not-allowed" ? "voice.refused" : "voice.failed");
    });
    running.addEventListener("end", () => {
      running = null;
      say(failed);
      show(false);
      target.focus();
    });
    running.start();
    show(true);
    say(t("voice.listening"), "stays");
  }
  return button;
}

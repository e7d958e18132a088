// A file that is asked beside the build.

import { el, fill } from "./dom.js";
import { t } from "./strings.js";

const FORMS = ".pdf,.docx,.pptx,.xlsx,.html,.htm,.txt";
const MOST = 8 << 20; // bytes

/** The bytes of a file in base64. */
export function contentOf(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => failed(reader.error));
    reader.readAsDataURL(file);
  });
}

/** A plain name that the service takes. */
export const plainName = (name) => name.replace(/[^\p{L}\p{N}_ .()-]/gu, "_").replace(/^\W+/, "").slice(-100) || "file.pdf";

/** A chooser of a file; `choose` is called with it, or with null. */
export function fileChooser(file, choose, say) {
  const input = el("input", { type: "file", accept: FORMS, class: "hidden-file", id: "file", tabindex: -1, "aria-hidden": "true" });
  const add = el("button", { type: "button", class: "quiet", click: () => input.click() }, t("file.add"));
  const shown = el("span", { class: "file" });
  function show(chosen) {
    fill(shown, chosen && [el("span", {}, chosen.name), " ",
      el("button", { type: "button", class: "quiet", "aria-label": t("file.remove", { file: chosen.name }), click: () => set(null) }, "×")]);
    add.hidden = Boolean(chosen);
  }
  function set(chosen) {
    if (chosen && chosen.size > MOST) return say(t("file.large", { most: MOST >> 20 }));
    input.value = "";
    show(chosen);
    if (!chosen) add.focus();
    return choose(chosen);
  }
  input.addEventListener("change", () => input.files[0] && set(input.files[0]));
  show(file);
  return [add, shown, input];
}

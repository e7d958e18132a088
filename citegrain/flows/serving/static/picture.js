// The page of a PDF with the section marked on it, as wide as there is room, and larger on demand.

import { picture } from "./api.js";
import { el, fill } from "./dom.js";
import { trouble } from "./disclosure.js";
import { t } from "./strings.js";

const LONGEST = 2000; // characters of a passage that the service takes
const MARGIN = 20; // px between the edge of the window and the mark that it is moved to

function larger(address, alt, [left, top]) {
  const close = el("button", { type: "button", click: () => dialog.close() }, t("page.close"));
  const image = el("img", { src: address, alt });
  const sheet = el("div", { class: "sheet-scroll", tabindex: 0, role: "region", "aria-label": alt }, image);
  const dialog = el("dialog", { class: "sheet", "aria-label": alt, close: () => dialog.remove() },
    el("div", { class: "sheet-bar" }, close),
    sheet);
  document.body.append(dialog);
  dialog.showModal();
  image.decode().then(() => {
    sheet.scrollTo(left * image.clientWidth - MARGIN, top * image.clientHeight - 4 * MARGIN);
  });
}

/** A figure of the page; `place`: provision_id, law, page and link of a charge or a provision. */
export function pageFigure(place, { day, build, passage = "" }) {
  const file = place.link.split("#")[0];
  if (!file.toLowerCase().endsWith(".pdf")) return null;
  const alt = t("page.alt", { file, law: place.law });
  const box = el("div", { class: "paper", "aria-busy": "true" });
  const key = el("figcaption", {}, t("page.of", { page: place.page, file }));
  const figure = el("figure", { class: "page" }, key, box);
  async function load() {
    fill(box);
    box.classList.remove("failed");
    try {
      const { image, mark } = await picture(place.provision_id, { as_of: day, build, passage: passage.slice(0, LONGEST) });
      const address = URL.createObjectURL(image);
      const open = el("button", { type: "button", class: "paper-open", "aria-label": t("page.larger", { file }),
        click: () => larger(address, alt, mark) }, el("img", { src: address, alt }));
      fill(box, open);
      fill(key, t("page.of", { page: place.page, file }), ": ",
        el("span", { class: "mark section" }, t("page.section")), " ",
        passage && el("span", { class: "mark passage" }, t("page.passage")));
    } catch (error) {
      box.classList.add("failed");
      fill(box, trouble(error, error.status === 404 ? null : load));
    }
    box.removeAttribute("aria-busy");
  }
  load();
  return figure;
}

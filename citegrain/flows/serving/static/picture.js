// The page of a PDF with the section marked on it, as wide as there is room, and larger on demand.

import { picture } from "./api.js";
import { el, fill } from "./dom.js";
import { trouble } from "./disclosure.js";
import { t } from "./strings.js";

const LONGEST = 2000; // characters of a passage that the service takes
const MARGIN = 20; // px between the edge of the window and the mark that it is moved to

/** Left and top edge of the marks on a picture, as shares of its size: they are the only colour of such a page. */
function edgesOfMarks(image) {
  const [width, height] = [200, Math.round((200 * image.naturalHeight) / image.naturalWidth)];
  const context = el("canvas", { width, height }).getContext("2d");
  context.drawImage(image, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  let [left, top] = [width, height];
  for (let at = 0; at < data.length; at += 4)
    if (Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3)) > 40) {
      left = Math.min(left, (at / 4) % width);
      top = Math.min(top, Math.floor(at / 4 / width));
    }
  return top < height ? { left: left / width, top: top / height } : { left: 0, top: 0 };
}

function larger(address, alt) {
  const close = el("button", { type: "button", click: () => dialog.close() }, t("page.close"));
  const image = el("img", { src: address, alt });
  const sheet = el("div", { class: "sheet-scroll", tabindex: 0, role: "region", "aria-label": alt }, image);
  const dialog = el("dialog", { class: "sheet", "aria-label": alt, close: () => dialog.remove() },
    el("div", { class: "sheet-bar" }, close),
    sheet);
  document.body.append(dialog);
  dialog.showModal();
  image.decode().then(() => {
    const { left, top } = edgesOfMarks(image);
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
      const image = await picture(place.provision_id, { as_of: day, build, passage: passage.slice(0, LONGEST) });
      const address = URL.createObjectURL(image);
      const open = el("button", { type: "button", class: "paper-open", "aria-label": t("page.larger", { file }),
        click: () => larger(address, alt) }, el("img", { src: address, alt }));
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

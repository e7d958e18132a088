// What the reader says of an answer, added to a benchmark where the service takes that.

import { post } from "./api.js";
import { el, fill } from "./dom.js";
import { trouble } from "./disclosure.js";
import { t } from "./strings.js";

/** The judgement of one answer; `thumbs` gives the buttons of a charge, `bar` what adds it. */
export class Judging {
  constructor(question, build) {
    Object.assign(this, { question, build, chosen: new Map(), bar: el("div", { class: "judging" }) });
    this.draw();
  }

  thumbs(charge) {
    const label = `${charge.act}/${charge.section}`;
    const button = (value, words) => el("button", { type: "button", class: "quiet", "aria-pressed": "false", "data-value": value,
      click: () => this.choose(label, charge, value, group) }, words);
    const group = el("div", { class: "thumbs", role: "group", "aria-label": t("judge.of", { law: charge.law }) },
      el("span", {}, t("judge.question")), button("yes", t("judge.yes")), button("no", t("judge.no")));
    return group;
  }

  choose(label, charge, value, group) {
    const again = this.chosen.get(label)?.value === value;
    if (again) this.chosen.delete(label);
    else this.chosen.set(label, { value, act: charge.act, section: charge.section });
    for (const button of group.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(!again && button.dataset.value === value));
    this.draw();
  }

  get applicable() {
    return [...this.chosen.values()].filter(({ value }) => value === "yes").map(({ act, section }) => ({ act, section }));
  }

  draw() {
    const yes = this.applicable.length;
    const none = el("button", { type: "button", class: "quiet", click: () => this.send([]) }, t("judge.nothing"));
    const add = el("button", { type: "button", click: () => this.send(this.applicable) }, t("judge.add", { n: yes }));
    fill(this.bar,
      el("h3", {}, t("judge.title")),
      el("p", { class: "hint" }, t("judge.hint")),
      el("div", { class: "buttons" }, yes ? add : none));
  }

  async send(applicable) {
    try {
      await post("v1/feedback", { question: this.question, build: this.build, applicable });
      fill(this.bar, el("p", { role: "status", tabindex: -1 }, t("judge.added")));
      this.bar.firstChild.focus();
    } catch (error) {
      this.bar.append(trouble(error));
    }
  }
}

// What an agent makes of a position, action by action, and of a game, position by position.

import { $, make } from "./dom.js";
import { say, sayAction } from "./words.js";

const SLIP = 0.4, BLUNDER = 1.0; // of a value from -1 to 1, that a move gives away

export class Analysis {
  constructor({ ask, ply, look, heat, ready }) {
    Object.assign(this, { ask, ply, look, heat, ready, on: false, actions: [], line: [], values: [] });
    $("analyse").onclick = () => {
      this.on = !this.on;
      this.at();
    };
    $("curve").onclick = () => {
      this.values = [];
      this.stop();
      this.ask({ type: "curve", agent: $("analyst").value });
    };
    $("analysis").addEventListener("toggle", () => $("analysis").open || this.stop());
    $("values").addEventListener("click", (event) => {
      const box = $("values").firstElementChild?.getBoundingClientRect();
      if (box) this.look(Math.round(((event.clientX - box.x) / box.width) * (this.values.length - 1)));
    });
  }

  // Offer the agents of a game that can tell.
  offer(game) {
    if (this.game === game.name) return;
    this.game = game.name;
    $("analysts").replaceChildren(...game.analysts.map((each) => new Option(each, each)));
    $("analyst").value = game.analysts[0] ?? "";
  }

  stop() {
    if (this.on) this.ask({ type: "rest" });
    this.on = false;
    this.at();
  }

  // Another position is shown, or it is to be analysed.
  at() {
    this.actions = this.line = [];
    $("analyse").setAttribute("aria-pressed", String(this.on));
    this.draw();
    if (this.on && this.ready()) this.ask({ type: "analyse", agent: $("analyst").value, ply: this.ply() });
  }

  // Another game is shown, or one has changed: what was found of the positions before stays.
  cut(length) {
    this.values.length = Math.min(this.values.length, length);
  }

  hear(message) {
    if (message.type === "curve") this.values[message.ply] = message.value;
    else if (this.on && message.ply === this.ply()) Object.assign(this, { actions: message.actions, visits: message.visits, line: message.line });
    this.draw();
  }

  draw() {
    this.heat(this.actions);
    $("line").textContent = this.line.map(sayAction).join(" ");
    $("weights").replaceChildren(...this.actions.filter(({ number }) => number || !this.visits).slice(0, 12).map(({ name, number, share, notes }) => {
      const row = make("li");
      const bar = make("meter", { value: share });
      bar.setAttribute("aria-hidden", "true");
      const parts = [sayAction(name), bar, number.toLocaleString("en", this.visits ? {} : { maximumSignificantDigits: 3 })];
      row.append(...parts.map((part) => (typeof part === "string" ? make("span", { textContent: part }) : part)));
      const said = Object.entries(notes).map(([word, text]) => `${say(word)} ${text}`).join(" · ");
      if (said) row.append(make("span", { className: "notes", textContent: said }));
      return row;
    }));
    this.curve();
    this.marks();
  }

  // What positions are worth lies between -1 and 1, except at tables of more than two, where it is in points.
  get reach() {
    return Math.max(1, ...this.values.map((value) => Math.abs(value ?? 0)));
  }

  curve() {
    const wide = this.values.length - 1, reach = this.reach;
    if (wide < 1) return $("values").replaceChildren();
    const points = this.values.map((value, k) => (value === null || value === undefined ? "" : `${k},${-value / reach}`)).join(" ");
    $("values").innerHTML = `<svg viewBox="0 -1.05 ${wide} 2.1" preserveAspectRatio="none" role="img"><line class="zero" x1="0" x2="${wide}" y1="0" y2="0" stroke-width=".01"/>`
      + `<polyline class="line" points="${points}"/><line class="here" x1="${this.ply()}" x2="${this.ply()}" y1="-1.05" y2="1.05"/></svg>`;
    const here = this.values[this.ply()];
    if (typeof here === "number") $("values").append(make("p", { textContent: here.toLocaleString("en", { maximumSignificantDigits: 3 }) }));
  }

  // Mark moves after which whoever played them stands much worse.
  marks() {
    for (const [k, button] of [...$("moves").querySelectorAll("button")].entries()) {
      const [before, after] = [this.values[k], this.values[k + 1]];
      const lost = this.reach === 1 && typeof before === "number" && typeof after === "number" ? (button.dataset.seat === "0" ? before - after : after - before) : 0;
      button.classList.toggle("blunder", lost >= BLUNDER);
      button.classList.toggle("slip", lost >= SLIP && lost < BLUNDER);
    }
  }
}

// The form of a new game, made of what the catalog says of games and agents.

import { $, make } from "./dom.js";
import { say } from "./words.js";

const OTHER = "…";

export class Setup {
  constructor(catalog, begin) {
    this.catalog = catalog;
    for (const game of catalog.games) $("game").append(new Option(game.title, game.name));
    $("game").value = "hex";
    $("game").addEventListener("change", () => this.draw());
    $("setup").addEventListener("submit", (event) => {
      event.preventDefault();
      begin(this.read());
    });
    this.draw();
  }

  get game() {
    return this.catalog.games.find((game) => game.name === $("game").value);
  }

  draw() {
    $("params").replaceChildren(...this.game.params.map(field));
    const seats = Array.from({ length: this.game.seats }, (_, seat) => this.seat(seat));
    $("seats").replaceChildren($("seats").querySelector("legend"), ...seats);
  }

  // Who sits on a seat: a person, one that is offered, or any agent with parameters of one's own.
  seat(seat) {
    const { opponents, agents } = this.game;
    const strongest = opponents[0];
    const label = make("label");
    const select = make("select");
    const text = make("input", { hidden: true, autocomplete: "off", spellcheck: false });
    const list = make("datalist", { id: `agents-${seat}` });
    text.setAttribute("list", list.id);
    text.setAttribute("aria-label", `${say("other agent")} ${seat}`);
    list.append(...agents.map((name) => new Option(this.described(name), name)));
    select.append(new Option(say("person"), this.catalog.person));
    const trained = (agent) => /\b(az|ddqn|dqn):/.test(agent);
    for (const each of [...opponents].sort((one, other) => trained(other) - trained(one))) {
      const note = each === strongest ? ` (${say("strongest")})` : trained(each) ? ` (${say("trained")})` : "";
      select.append(new Option(each + note, each));
    }
    select.append(new Option(say("other agent"), OTHER));
    select.value = seat ? strongest : this.catalog.person;
    select.addEventListener("change", () => {
      text.hidden = select.value !== OTHER;
      if (!text.hidden) text.focus();
    });
    const name = make("span", { textContent: `${say("seat")} ${seat}` });
    label.append(name, select);
    const row = make("div");
    row.className = "fields";
    row.append(label, text, list);
    row.value = () => (select.value === OTHER ? text.value.trim() : select.value);
    return row;
  }

  described(name) {
    const params = this.catalog.agents[name].params.map((param) => `${param.name}=${param.default}`);
    return params.length ? `${name}:${params.join(",")}` : name;
  }

  read() {
    const changed = [...$("params").querySelectorAll("[name]")]
      .map((input) => [input.name, input.type === "checkbox" ? String(input.checked) : input.value, input.dataset.default])
      .filter(([, value, usual]) => value !== "" && value !== usual)
      .map(([name, value]) => `${name}=${value}`);
    const seats = [...$("seats").querySelectorAll(":scope > .fields")].map((row) => row.value());
    const [seed, clock, position] = [$("seed").value, $("clock").value, $("position").value];
    return {
      game: this.game.name + (changed.length ? `:${changed.join(",")}` : ""),
      seats,
      seed: seed === "" ? null : Number(seed),
      clock: clock === "" ? null : Number(clock),
      position,
    };
  }
}

function field(param) {
  const label = make("label");
  const name = make("span", { textContent: `${param.name}: ${param.doc}` });
  let input;
  if (param.kind === "truth") input = make("input", { type: "checkbox", checked: param.default });
  else if (param.choices.length && param.low === null) {
    input = make("select");
    input.append(...param.choices.map((choice) => new Option(choice, choice)));
    input.value = param.default;
  } else {
    input = make("input", { value: param.default, autocomplete: "off" });
    if (param.low !== null && !param.choices.length) Object.assign(input, { type: "number", min: param.low, max: param.high, step: param.kind === "whole" ? 1 : "any" });
  }
  input.name = param.name;
  input.dataset.default = String(param.default);
  label.append(name, input);
  return label;
}

// Recorded games of a file: all of a match, those of one agent, of one result.

import { $, make } from "./dom.js";
import { say } from "./words.js";

const MOST = 500; // that are listed at once
const RESULTS = ["any result", "won", "drawn", "lost", "unfinished"];

export class Records {
  constructor(open) {
    this.open = open;
    this.games = [];
    $("file").addEventListener("change", async () => {
      const [file] = $("file").files;
      if (file) this.read(await file.text());
    });
    for (const each of [$("who"), $("how")]) each.addEventListener("change", () => this.draw());
    this.read("");
  }

  read(text) {
    this.games = text.split("\n").filter((line) => line.trim()).map((line, k) => {
      try {
        return { line, number: k + 1, ...JSON.parse(line) };
      } catch {
        return { line, number: k + 1, seats: [], returns: null, plies: 0 };
      }
    });
    const agents = [...new Set(this.games.flatMap((game) => game.seats ?? []))];
    $("who").replaceChildren(new Option(say("any agent"), ""), ...agents.map((agent) => new Option(agent, agent)));
    $("how").replaceChildren(...RESULTS.map((result) => new Option(say(result), result)));
    this.draw();
  }

  // What a game came to for an agent, by the best of its seats.
  result(game, agent) {
    if (!game.returns) return "unfinished";
    const best = Math.max(...game.returns);
    const mine = game.returns.filter((_, seat) => !agent || game.seats[seat] === agent);
    if (game.returns.every((value) => value === best)) return "drawn";
    return Math.max(...mine) === best ? "won" : "lost";
  }

  draw() {
    const [agent, wanted] = [$("who").value, $("how").value];
    const found = this.games.filter((game) => (!agent || game.seats?.includes(agent)) && (wanted === RESULTS[0] || this.result(game, agent) === wanted));
    $("who").hidden = $("how").hidden = !this.games.length;
    $("counted").textContent = this.games.length ? `${found.length} / ${this.games.length} ${say("games")}` : "";
    $("games").replaceChildren(...found.slice(0, MOST).map((game) => {
      const returns = game.returns ? game.returns.join(" : ") : say("unfinished");
      const text = `${game.number}. ${(game.seats ?? []).join(" – ")}  ${returns}  (${game.plies})`;
      const item = make("li");
      item.append(make("button", { textContent: text, onclick: () => this.open(game.line) }));
      return item;
    }));
  }
}

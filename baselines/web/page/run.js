// A training run, as it stands: its latest figures, its pictures, and the games of its latest evaluation.

import { $, make } from "./dom.js";

const OFTEN = 2000; // milliseconds between two looks
const SHOWN = /^(eval|return|rollout|train|time)\//;

export class Run {
  constructor(name, games) {
    Object.assign(this, { name, games, tags: {} });
    if (name) this.look();
  }

  // Fetch a file of the run where it has changed since it was last fetched.
  async changed(file) {
    const answer = await fetch(`run/${file}`);
    const tag = answer.headers.get("etag");
    if (!answer.ok || tag === this.tags[file]) return null;
    this.tags[file] = tag;
    return answer;
  }

  async look() {
    try {
      const log = await this.changed("log.jsonl");
      if (log) this.figures(await log.text());
      for (const [file, id] of [["curves.png", "curves"], ["moves.png", "map"]]) {
        if (await this.changed(file)) {
          $(id).src = `run/${file}?${encodeURIComponent(this.tags[file])}`;
          $(id).hidden = false;
        }
      }
      const games = await this.changed("games.jsonl");
      if (games) this.games(await games.text());
    } catch { /* the server is away; the table says so */ }
    setTimeout(() => this.look(), OFTEN);
  }

  // The latest figure of every name, and how far the run has come.
  figures(text) {
    const latest = {};
    for (const line of text.split("\n").filter((each) => each.endsWith("}"))) Object.assign(latest, JSON.parse(line));
    $("progress").textContent = `${this.name}: ${(latest.steps ?? 0).toLocaleString("en")}`;
    $("figures").replaceChildren(...Object.entries(latest).filter(([key]) => SHOWN.test(key)).map(([key, value]) => {
      const row = make("tr");
      row.append(make("th", { textContent: key, scope: "row" }), make("td", { textContent: value === null ? "–" : value.toLocaleString("en", { maximumSignificantDigits: 4 }) }));
      return row;
    }));
  }
}

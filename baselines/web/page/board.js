// A picture whose spots are pointed at, by pointer or keyboard, until what was pointed at is one action.

export class Board {
  constructor(place, { played, chosen, label }) {
    Object.assign(this, { place, played, chosen, label, legal: [], picked: [], hinted: [], at: null });
    place.addEventListener("click", (event) => {
      const spot = event.target.closest("[data-at]");
      this.keyed = false;
      if (spot) this.pick(spot);
    });
    place.addEventListener("keydown", (event) => this.key(event));
  }

  show(svg, legal, thrown = false) {
    const before = this.at?.dataset.at;
    this.place.innerHTML = svg;
    const picture = this.place.querySelector("svg");
    const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
    this.place.style.setProperty("--ratio", width / height);
    picture.classList.toggle("thrown", thrown);
    Object.assign(this, { legal, picked: [], hinted: [], at: null });
    this.spots = [...this.place.querySelectorAll("[data-at]")];
    for (const spot of this.spots) spot.setAttribute("role", "img");
    this.at = this.spots.find((spot) => spot.dataset.at === before) ?? null;
    this.mark();
  }

  hint(path) {
    this.hinted = path;
    this.mark();
  }

  // Colour spots by what an agent makes of the actions that end, or begin, at them.
  heat(actions) {
    const shares = new Map();
    for (const { path, share } of actions) {
      const name = this.picked.length ? (path[this.picked.length - 1] === this.picked.at(-1) ? path.at(-1) : null) : path.at(-1);
      if (name) shares.set(name, Math.max(share, shares.get(name) ?? 0));
    }
    for (const spot of this.spots) {
      const share = shares.get(spot.dataset.at) ?? 0;
      // A cell takes the colour; of tiles, which are pictures, the best are lit.
      const cell = spot.tagName === "circle";
      spot.classList.toggle("heat", share > (cell ? 0.02 : 0.98));
      if (cell) spot.setAttribute("fill-opacity", (0.65 * share).toFixed(3));
    }
  }

  going() {
    return this.legal.filter((one) => this.picked.every((name, k) => one.path[k] === name));
  }

  // Point at a spot: it goes on with what was picked, or begins anew.
  pick(spot) {
    const name = spot.dataset.at;
    this.at = spot;
    const on = this.going().some((one) => one.path[this.picked.length] === name);
    const anew = this.legal.some((one) => one.path[0] === name);
    const dropped = this.picked.length && this.picked.at(-1) === name;
    this.picked = on ? [...this.picked, name] : anew && !dropped ? [name] : [];
    const going = this.picked.length ? this.going() : [];
    if (going.length === 1 && going[0].path.length === this.picked.length) {
      this.legal = []; // until there is another position
      this.played(going[0]);
    }
    this.mark();
  }

  mark() {
    const next = new Set(this.going().map((one) => one.path[this.picked.length]));
    this.place.classList.toggle("few", next.size <= 40);
    for (const spot of this.spots) {
      const name = spot.dataset.at;
      spot.classList.toggle("can", next.has(name));
      spot.classList.toggle("picked", this.picked.includes(name));
      spot.classList.toggle("hinted", this.hinted.includes(name));
      spot.classList.toggle("at", spot === this.at && this.keyed && document.activeElement === this.place);
      spot.setAttribute("aria-label", this.label(name, next.has(name)));
    }
    this.chosen(this.at && this.keyed && { name: this.at.dataset.at, can: next.has(this.at.dataset.at) });
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    this.keyed = true;
    if (event.key in steps && this.spots.length) this.move(...steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && this.at) this.pick(this.at);
    else if (event.key === "Escape") {
      this.picked = [];
      this.mark();
    } else return;
    event.preventDefault();
  }

  // Go to the nearest spot in a direction, or to a first one that can be played.
  move(dx, dy) {
    const middle = (spot) => {
      const box = spot.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    if (!this.at) this.at = this.spots.find((spot) => spot.classList.contains("can")) ?? this.spots[0];
    else {
      const [x, y] = middle(this.at);
      let best = null, least = Infinity;
      for (const spot of this.spots) {
        const [u, v] = middle(spot);
        const along = (u - x) * dx + (v - y) * dy;
        const across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
        const far = along + 2.5 * across;
        if (along > 1 && far < least) [best, least] = [spot, far];
      }
      this.at = best ?? this.at;
    }
    this.mark();
  }
}

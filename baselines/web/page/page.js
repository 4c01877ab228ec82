// The page: it shows what the server says of its table, and tells it what the person wants.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { $, make } from "./dom.js";
import { Records } from "./records.js";
import { Run } from "./run.js";
import { Setup } from "./setup.js";
import { outcome, say, sayAction, switchLanguage, translate } from "./words.js";

const drawn = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
// A tab that another one has opened at a table says which in its address, and so does the cell of a notebook, of which
// there may be several in one tab.
const named = /^#[0-9a-f]{16}$/.test(location.hash) ? location.hash.slice(1) : null, framed = window.parent !== window;
if (named && !framed) sessionStorage.table = named;
if (!framed) history.replaceState(null, "", location.pathname);
const name = framed && named ? named : (sessionStorage.table ??= drawn());

let socket, setup, records, table = null, looked = null, wanted = 0, shownAt = 0, ticking = 0, pointed = null, wait = 250;
let asked = false; // whether another game has been asked for: nothing else that comes from the table closes the form

const board = new Board($("board"), {
  played: (one) => ask({ type: "play", action: one.action, ply: table.ply }),
  chosen: (spot) => {
    pointed = spot;
    status();
  },
  label: (spot, can) => (can ? `${spot}, ${say("can be played")}` : spot),
});

const analysis = new Analysis({
  ask,
  ply: () => (looked ? looked.ply : table.ply),
  look,
  heat: (actions) => board.spots && board.heat(actions),
  // Nothing is decided at the end, and of what others decide with hidden hands nothing may be said.
  ready: () => looked !== null || table.turn !== null,
});

function ask(message) {
  $("error").textContent = "";
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`${location.href.replace(/^http/, "ws").replace(/[?#].*/, "")}tables/${name}`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    wait = 250;
    $("error").textContent = "";
  };
  socket.onmessage = ({ data }) => hear(JSON.parse(new TextDecoder().decode(data)));
  socket.onclose = () => {
    if (socket.taken) return;
    $("error").textContent = say("The connection is lost; trying again …");
    setTimeout(connect, (wait = Math.min(2 * wait, 4000)));
  };
}

function hear(message) {
  if (message.type === "table") {
    const before = table?.svg;
    if (table && table.setup.game !== message.setup.game) analysis.values = [];
    table = message;
    looked = null;
    wanted = table.ply;
    if (asked || $("setup").hidden) front(false);
    asked = false;
    draw(before);
  } else if (message.type === "look") {
    if (message.ply !== wanted) return; // another one has been asked for meanwhile
    looked = message;
    board.show(message.svg, []);
    $("diagram").textContent = message.diagram;
    list();
    status();
    analysis.at();
  } else if (message.type === "analysis" || message.type === "curve") analysis.hear(message);
  else if (message.type === "hint") {
    if (table?.mine && message.ply === table.ply && !looked) {
      board.hint(table.legal.find((one) => one.action === message.action)?.path ?? []);
      $("status").textContent = `${say("It would play")}: ${sayAction(message.name)}`;
    }
  } else if (message.type === "record") keep(message.line, "game.jsonl", "application/jsonl");
  else if (message.type === "branched") window.open(`${location.pathname}#${message.to}`, "_blank", "noopener");
  else if (message.type === "empty") openSetup();
  else if (message.type === "error") {
    asked = analysis.on = false; // or what is refused would be asked for again
    if (table && !looked) draw();
    $("error").textContent = message.text;
  } else if (message.type === "taken") {
    socket.taken = true;
    const here = make("button", { textContent: say("open here"), onclick: () => location.reload() });
    $("error").replaceChildren(`${say("This table is open in another tab.")} `, here);
  }
}

// Show what a game begins with, or the table.
function front(shown) {
  $("setup").hidden = $("records").hidden = !shown;
  $("run").hidden = !shown || !setup.catalog.run;
  $("table").hidden = shown;
}

function openSetup() {
  front(true);
  $("cancel").hidden = !table;
  $("game").focus();
}

function draw(before = table.svg) {
  document.title = `${table.title} · boyi`;
  Object.assign(document.body.dataset, { turn: table.over ? "over" : table.mine ? "mine" : "others", ply: table.ply });
  $("title").textContent = table.setup.game;
  board.show(table.svg, table.legal, table.dice && table.svg !== before);
  $("board").setAttribute("aria-label", `${table.title}: ${say("board")}`);
  $("diagram").textContent = table.diagram;
  const persons = !table.recorded && table.setup.seats.some((who) => who === "person");
  shownAt = performance.now();
  players();
  const buttons = table.legal.filter((one) => !one.path.length).map((one) => make("button", {
    className: "choice",
    textContent: sayAction(one.name),
    onclick: () => ask({ type: "play", action: one.action, ply: table.ply }),
  }));
  $("choices").replaceChildren(...buttons);
  $("choices").hidden = !buttons.length;
  $("back").hidden = !persons;
  $("back").disabled = !table.back.length;
  $("hint").hidden = $("resign").hidden = !persons || table.over;
  $("hint").disabled = !table.mine;
  $("replay").hidden = table.recorded;
  $("sides").hidden = table.recorded || new Set(table.setup.seats).size < 2;
  $("branch").hidden = table.hidden;
  $("again").hidden = !table.failed;
  $("hurry").hidden = !table.thinking || Boolean(table.failed);
  $("watching").hidden = persons || table.over;
  $("pause").textContent = say(table.paused ? "go on" : "pause");
  $("step").disabled = !table.paused;
  $("delay").value = table.delay;
  if (table.failed) $("error").textContent = table.failed;
  list();
  status();
  analysis.offer(setup.catalog.games.find((game) => game.title === table.title));
  analysis.cut(table.ply + 1);
  analysis.at();
}

function players() {
  const spent = table.over ? 0 : (performance.now() - shownAt) / 1000;
  $("players").replaceChildren(...table.labels.map((label, seat) => {
    const row = make("li");
    const who = table.setup.seats[seat] === "person" ? say("person") : label;
    const left = table.clock ? `${Math.max(0, table.clock[seat] - (table.turn === seat ? spent : 0)).toFixed(0)} s` : "";
    row.append(`${say("seat")} ${seat}: ${who}`, make("span", { textContent: left }));
    row.classList.toggle("turn", table.turn === seat);
    return row;
  }));
  clearTimeout(ticking);
  if (table.clock && !table.over) ticking = setTimeout(players, 500);
}

function status() {
  if (!table) return;
  const spot = pointed && document.activeElement === $("board") ? ` · ${pointed.name}${pointed.can ? `, ${say("can be played")}` : ""}` : "";
  const words = looked ? `${say("Looking back")}: ${looked.ply}`
    : table.over ? [outcome(table), table.reason].filter(Boolean).join(" ")
    : table.mine ? say("Your move") + (table.setup.seats.filter((who) => who === "person").length > 1 ? ` (${say("seat")} ${table.turn})` : "")
    : table.failed ? ""
    : table.recorded ? (table.turn === null ? "" : `${say("to move")}: ${say("seat")} ${table.turn}`)
    : table.paused && !table.setup.seats.includes("person") ? say("Paused") : say("Thinking …");
  $("status").textContent = words + spot;
  const [last, ...line] = looked ? [] : table.expected;
  $("expected").textContent = line.length ? `${sayAction(last)} · ${say("It expects")}: ${line.map(sayAction).join(" ")}` : "";
}

function list() {
  const here = looked ? looked.ply : table.ply;
  $("moves").replaceChildren(...table.moves.map((move, k) => {
    const item = make("li");
    const button = make("button", { textContent: `${k + 1}. ${sayAction(move.name)}`, onclick: () => look(k + 1) });
    button.setAttribute("aria-current", String(k + 1 === here));
    button.dataset.seat = move.seat;
    item.append(button);
    return item;
  }));
  $("first").disabled = $("previous").disabled = here === 0;
  $("next").disabled = $("last").disabled = here === table.ply;
  $("looking").hidden = !table.moves.length;
  $("moves").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
}

function look(ply) {
  wanted = ply;
  if (ply === table.ply) {
    looked = null;
    draw();
  } else ask({ type: "look", ply });
}

function browse(step) {
  look(Math.max(0, Math.min(table.ply, wanted + step)));
}

function keep(content, file, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: file });
  link.click();
  URL.revokeObjectURL(link.href);
}

function askForGame(message) {
  asked = true;
  ask(message);
}

function begin(setup) {
  askForGame({ type: "setup", setup });
}

$("new").onclick = openSetup;
$("cancel").onclick = () => front(false);
$("language").onclick = () => {
  switchLanguage();
  setup.draw();
  records.draw();
  if (table) draw();
};
// Of two persons at one table either may take back; looking back, they go on from there.
$("back").onclick = () => ask({ type: "back", ply: looked ? table.back.findLast((ply) => ply <= looked.ply) ?? table.back[0] : table.back.at(-1) });
$("hint").onclick = () => ask({ type: "hint", ply: table.ply });
$("resign").onclick = () => ask({ type: "resign" });
$("replay").onclick = () => begin({ ...table.setup, seed: null, episode: 0 });
$("sides").onclick = () => begin({ ...table.setup, seed: null, episode: 0, seats: [...table.setup.seats.slice(1), table.setup.seats[0]] });
$("branch").onclick = () => ask({ type: "branch", ply: looked ? looked.ply : table.ply, to: drawn() });
$("save").onclick = () => ask({ type: "save" });
$("picture").onclick = () => keep(looked ? looked.svg : table.svg, "board.svg", "image/svg+xml");
$("copy").onclick = async () => {
  await navigator.clipboard.writeText($("diagram").textContent);
  $("status").textContent = say("Copied");
};
$("again").onclick = () => ask({ type: "again" });
$("hurry").onclick = () => ask({ type: "hurry" });
$("pause").onclick = () => ask({ type: "watch", paused: !table.paused, delay: table.delay });
$("step").onclick = () => ask({ type: "step" });
$("delay").onchange = () => ask({ type: "watch", paused: table.paused, delay: Number($("delay").value) });
$("first").onclick = () => browse(-Infinity);
$("previous").onclick = () => browse(-1);
$("next").onclick = () => browse(1);
$("last").onclick = () => browse(Infinity);
$("board").addEventListener("focus", () => board.spots && board.mark());
$("board").addEventListener("blur", () => board.spots && board.mark());
document.addEventListener("keydown", (event) => {
  if (!table || event.target.closest("input, select, #board, pre") || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  if (step) {
    browse(step);
    event.preventDefault();
  }
});

translate();
setup = new Setup(await (await fetch("catalog.json")).json(), begin);
records = new Records((line) => askForGame({ type: "open", line }));
records.read(await (await fetch("games.jsonl")).text());
new Run(setup.catalog.run, (text) => records.read(text));
connect();

// What the page says, in English and Chinese; names of games, agents and parameters are those of the program.

const CHINESE = {
  "new game": "新对局", game: "棋种", rules: "规则参数", seats: "座位", more: "更多", seed: "随机种子", clock: "每方用时（秒）",
  begin: "开始", cancel: "取消", "take back": "悔棋", hint: "提示", resign: "认输", "play again": "再来一局", "change sides": "交换座位",
  "ask again": "重试", step: "一步", pace: "间隔", "first position": "最初局面", "previous position": "上一局面",
  "next position": "下一局面", "latest position": "最新局面", "as text": "文字局面", pause: "暂停", "go on": "继续", person: "玩家",
  "other agent": "其他程序…", seat: "座位", "Your move": "轮到你了", "Thinking …": "思考中…", Paused: "已暂停",
  "You win.": "你赢了。", "You lose.": "你输了。", "You share the win.": "你与他人同胜。", "A draw.": "平局。", wins: "胜", "share the win": "同胜",
  "The game was cut off.": "对局被截断。", "Resigned.": "认输。", "Forfeited.": "判负。", "Out of time.": "超时。",
  analysis: "分析", "this position": "当前局面", "the whole game": "整局",
  position: "起始局面（文字）", "recorded games": "棋谱", "open a file of games": "打开棋谱文件", agent: "程序", result: "结果", "any agent": "全部程序",
  "any result": "全部结果", won: "胜", drawn: "和", lost: "负", unfinished: "未完", games: "局", "try from here": "由此试走",
  "save the game": "保存对局", "save the picture": "保存图片", "copy as text": "复制文字", "The game was not finished.": "对局未完。", Copied: "已复制",
  "The connection is lost; trying again …": "与服务器的连接已断开，正在重连…", "This table is open in another tab.": "此桌已在另一个标签页打开。", "open here": "在此打开", strongest: "最强", trained: "训练所得",
  pass: "过", win: "胡", pong: "碰", kong: "杠", chow: "吃", stop: "停", swap: "交换", board: "棋盘", "can be played": "可走",
  "training run": "训练", figures: "数据", "curves of the run": "训练曲线", "where it plays": "落子分布", "move now": "立即落子",
  "It expects": "预计", shanten: "向听", useful: "进张", danger: "放铳率", "to move": "行棋",
  "It would play": "建议", "Looking back": "回看", points: "得分",
};

// In the cell of a notebook a browser may refuse to keep anything.
const kept = () => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};

let chinese = (kept()?.getItem("language") ?? navigator.language).startsWith("zh");

export const say = (word) => (chinese ? (CHINESE[word] ?? word) : word);

export const sayAction = (name) => (chinese ? name.replace(/^(pass|win|pong|kong|chow|stop|swap)\b/, (word) => CHINESE[word]) : name);

export function translate() {
  document.documentElement.lang = chinese ? "zh" : "en";
  for (const each of document.querySelectorAll("[data-word]")) each.textContent = say(each.dataset.word);
  for (const each of document.querySelectorAll("[data-word-alt]")) each.alt = say(each.dataset.wordAlt);
  for (const each of document.querySelectorAll("[data-label]")) each.setAttribute("aria-label", say(each.dataset.label));
  document.getElementById("language").textContent = chinese ? "English" : "中文";
}

export function switchLanguage() {
  chinese = !chinese;
  kept()?.setItem("language", chinese ? "zh" : "en");
  translate();
}

// How a game ended, for the person at the table if there is one.
export function outcome(table) {
  const { returns, ended, labels, setup } = table;
  if (!returns) return say("The game was not finished.");
  const how = { cut: "The game was cut off.", resigned: "Resigned.", forfeit: "Forfeited.", time: "Out of time." }[ended];
  const best = returns.map((_, seat) => seat).filter((seat) => returns[seat] === Math.max(...returns));
  const persons = setup.seats.map((who, seat) => (who === "person" ? seat : -1)).filter((seat) => seat >= 0);
  let words;
  if (best.length === returns.length) words = say("A draw.");
  else if (persons.length === 1) {
    const mine = best.includes(persons[0]);
    words = say(!mine ? "You lose." : best.length === 1 ? "You win." : "You share the win.");
  } else words = `${best.map((seat) => `${labels[seat]} (${say("seat")} ${seat})`).join(", ")} ${say(best.length === 1 ? "wins" : "share the win")}`;
  const scores = returns.length > 2 || returns.some((r) => ![-1, 0, 1].includes(r));
  const points = scores ? ` ${say("points")}: ${returns.map((r) => (r > 0 ? "+" : "") + r).join(", ")}` : "";
  return `${how ? `${say(how)} ` : ""}${words}${points}`;
}

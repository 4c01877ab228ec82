"""The page in a real browser: games by clicking and by keys, back and forth, on a phone, and after a reload.

They need Debian's chromium and playwright, and axe-core's file in BOYI_AXE for what it checks; without them they are
skipped, but not in CI.
"""

import os
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from web_server import serving

import boyi
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.training.config import read_config
from boyi.baselines.training.run import Run
from boyi.baselines.web.server import Web
from boyi.envs import hex_v0

CHROMIUM = shutil.which("chromium")
PATIENCE = 120_000  # milliseconds that a page is waited for, however busy the machine is

if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("no chromium: apt-get install chromium", allow_module_level=True)
if os.environ.get("CI"):
    import playwright.sync_api as api
else:
    api = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as made:
        # Root, as whom CI runs, has no sandbox.
        browser = made.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    records = tmp_path_factory.mktemp("records") / "games.jsonl"
    compete(Match("hex:board_size=4", ["random", "mcts:sims=30"], games=6, seed=1), records)
    with serving(tmp_path_factory.mktemp("tables")) as made:
        made.games = records.read_bytes()
        yield made


@pytest.fixture
def page(browser: Any, web: Web) -> Iterator[Any]:
    """A new tab, which must ask nobody else for anything and never stumble."""
    yield from tab(browser, web, viewport={"width": 1200, "height": 850})


def tab(browser: Any, web: Web, **options: Any) -> Iterator[Any]:
    # What the page forbids itself, waiting for a condition needs; the server's tests see that it does.
    context = browser.new_context(locale="en-GB", bypass_csp=True, **options)
    made, faults = context.new_page(), list[str]()
    made.set_default_timeout(PATIENCE)
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    made.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith(home(web)) else None)
    made.goto(web.address)
    made.wait_for_selector("#setup:not([hidden])")
    yield made
    context.close()
    assert not faults


def home(web: Web) -> tuple[str, ...]:
    return web.address, web.address.replace("http", "ws", 1), "data:"


def begin(page: Any, game: str, *seats: str, **params: str) -> None:
    """Fill in the form, and begin."""
    page.select_option("#game", game)
    if params:
        page.click("#rules summary")
    for name, value in params.items():
        field = page.locator(f"#params [name={name}]")
        if field.get_attribute("type") == "checkbox":
            field.set_checked(value == "true")
        else:
            field.fill(value) if field.evaluate("it => it.tagName") == "INPUT" else field.select_option(value)
    for seat, who in enumerate(seats):
        row = page.locator("#seats .fields").nth(seat)
        offered = row.locator("option").evaluate_all("all => all.map(it => it.value)")
        row.locator("select").select_option(who if who in offered else "…")
        if who not in offered:
            row.locator("input").fill(who)
    page.click("#setup [type=submit]")
    page.wait_for_selector("#board svg")


def await_turn(page: Any, ply: int = -1) -> str:
    """Wait until a person is to move, in another position than after `ply` moves, or the game is over; say which."""
    found = page.wait_for_function(
        """ply => {
            const { turn, ply: here } = document.body.dataset;
            return (turn === 'over' || turn === 'mine' && +here !== ply) && turn;
        }""",
        arg=ply,
    )
    return str(found.json_value())


def ply_of(page: Any) -> int:
    return int(page.locator("body").get_attribute("data-ply") or -1)


def lit(page: Any, ply: int) -> bool:
    """Whether more is to be pointed at before anything is played in the position after `ply` moves."""
    return bool(
        page.evaluate(
            "ply => +document.body.dataset.ply === ply && document.querySelector('#board .can') !== null", arg=ply
        )
    )


def move(page: Any) -> None:
    """Play an action by clicking: a button where there is one, else what is lit, until something has been played."""
    ply = ply_of(page)
    choice = page.locator("#choices:not([hidden]) button")
    if choice.count():
        choice.last.click()
    else:
        page.locator("#board .can").first.click()
        while lit(page, ply):
            page.locator("#board .can").first.click()
    await_turn(page, ply)


GAMES = {
    "hex": ("hex", ["person", "random"], {"board_size": "4", "swap": "true"}),
    "gomoku": ("gomoku", ["person", "random"], {"board_size": "9"}),
    "jiu": ("jiu", ["person", "random"], {"board_size": "6", "max_turns": "30"}),
    "mahjong": ("mahjong", ["person", "greedy", "greedy", "greedy"], {}),
    "einstein": ("einstein", ["random", "person"], {}),
    "amazons": ("amazons", ["person", "person"], {"board_size": "4"}),
    "surakarta": ("surakarta", ["person", "mcts:sims=5"], {"no_capture_limit": "10"}),
}


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_by_clicking(page: Any, name: str) -> None:
    game, seats, params = GAMES[name]
    begin(page, game, *seats, **params)
    while await_turn(page) == "mine":
        move(page)
    said = page.inner_text("#status").lower()
    assert re.search(r"you (win|lose|share the win)\.|a draw\.|wins", said)
    moves = page.locator("#moves button")
    assert moves.count() > 4
    page.click("#first")
    page.wait_for_function("document.getElementById('status').textContent.startsWith('Looking back')")
    for _ in range(3):
        page.click("#next")
    page.wait_for_function("document.querySelector('#moves [aria-current=true]')?.textContent.startsWith('3.')")
    page.click("#last")
    page.wait_for_function("!document.getElementById('status').textContent.startsWith('Looking back')")


def test_taking_back_playing_again_and_changing_sides(page: Any) -> None:
    begin(page, "hex", "person", "random", board_size="5")
    for name in ("c3", "b2"):
        page.locator(f"[data-at={name}], [data-at=a1].can, [data-at=e5].can").first.wait_for(state="attached")
        move(page)
    assert ply_of(page) == 4
    page.click("#back")
    await_turn(page, 4)
    assert ply_of(page) == 2 and page.locator("#moves button").count() == 2
    page.click("#moves button >> nth=0")
    page.click("#back")
    await_turn(page, 2)
    assert ply_of(page) == 0 and page.locator("#back").is_disabled()
    page.click("#sides")
    await_turn(page, 0)
    assert ply_of(page) == 1 and "person" in page.inner_text("#players li >> nth=1")
    page.click("#resign")
    page.wait_for_function("document.body.dataset.turn === 'over'")
    assert "you lose" in page.inner_text("#status").lower()
    page.click("#replay")
    page.wait_for_function("document.body.dataset.turn === 'mine'")


def test_a_hint_is_shown_and_played(page: Any) -> None:
    begin(page, "gomoku", "person", "random", board_size="5")
    page.click("#hint")
    page.wait_for_selector("#board .hinted", state="attached")
    page.locator("#board .hinted").click()
    await_turn(page, 0)
    assert ply_of(page) == 2


def test_the_keyboard_alone(page: Any) -> None:
    """From the form to the end of a game, without a pointer."""
    page.focus("#game")
    page.keyboard.type("Ein")
    page.focus("#setup [type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board svg")
    for _ in range(200):
        if await_turn(page) == "over":
            break
        ply = ply_of(page)
        page.focus("#board")
        for _ in range(60):
            if not lit(page, ply):
                break
            at = page.locator("#board .at.can")
            if at.count():
                page.keyboard.press("Enter")
                continue
            here = page.locator("#board .at")
            goal = page.locator("#board .can").first.bounding_box()
            box = here.bounding_box() if here.count() else {**goal, "x": -1}
            across = abs(goal["x"] - box["x"]) > abs(goal["y"] - box["y"])
            right, down = goal["x"] > box["x"], goal["y"] > box["y"]
            page.keyboard.press(
                ("ArrowRight" if right else "ArrowLeft") if across else "ArrowDown" if down else "ArrowUp"
            )
        await_turn(page, ply)
    assert page.locator("body").get_attribute("data-turn") == "over"
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    page.wait_for_function("document.getElementById('status').textContent.startsWith('Looking back')")


def test_a_reload_keeps_the_game_and_another_tab_is_another_table(page: Any, browser: Any, web: Web) -> None:
    begin(page, "hex", "person", "random")
    move(page)
    board = page.inner_html("#board svg")
    page.reload()
    page.wait_for_selector("#board svg")
    await_turn(page)
    assert ply_of(page) == 2
    assert re.findall("<polygon.*?>", page.inner_html("#board svg")) == re.findall("<polygon.*?>", board)
    for other in tab(browser, web):
        assert other.locator("#table").is_hidden()


def test_on_a_phone_nothing_is_cut_off(browser: Any, web: Web) -> None:
    for game in ("hex", "gomoku", "jiu", "mahjong", "einstein"):
        for page in tab(browser, web, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True):
            begin(page, game)
            await_turn(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            spot = page.locator("#board .can").first
            box = spot.bounding_box()
            assert box["width"] > 8 and box["x"] >= 0 and box["x"] + box["width"] <= 360
            ply = ply_of(page)
            if game in ("hex", "gomoku"):
                spot.tap()
                await_turn(page, ply)


def test_an_agent_says_what_it_makes_of_it(page: Any) -> None:
    begin(page, "hex", "person", "person", board_size="3")
    page.click("#analysis summary")
    page.fill("#analyst", "exact")
    page.click("#analyse")
    page.wait_for_selector("#weights li")
    assert page.locator("#weights li").first.inner_text().split()[-1] == "1"
    assert page.locator("#board .heat").count() > 0 and "b2" in page.inner_text("#weights")
    for name in ("b2", "a1"):
        ply = ply_of(page)
        page.locator(f"#board [data-at={name}]").click()
        await_turn(page, ply)
    page.wait_for_function("document.querySelector('#weights li')?.textContent.endsWith('1')")
    page.locator("#board [data-at=c1]").click()
    await_turn(page, 2)
    page.locator("#board [data-at=a2]").click()
    await_turn(page, 3)
    page.locator("#board [data-at=c3]").click()
    await_turn(page, 4)
    page.locator("#board [data-at=a3]").click()
    page.wait_for_function("document.body.dataset.turn === 'over' || document.body.dataset.ply === '6'")
    page.click("#curve")
    page.wait_for_selector("#values svg .line", state="attached")
    page.fill("#analyst", "random")
    page.click("#analyse")
    page.wait_for_function("document.getElementById('error').textContent.includes('does not weigh')")
    assert page.get_attribute("#analyse", "aria-pressed") == "false"


def test_an_agent_is_hurried_and_says_what_it_expects(page: Any) -> None:
    begin(page, "hex", "person", "mcts:seconds=80000,prove=false", board_size="5")
    await_turn(page)
    assert page.locator("#hurry").is_hidden()
    page.locator("#board [data-at=b2]").click()
    page.wait_for_selector("#hurry:not([hidden])")
    page.wait_for_timeout(500)
    page.click("#hurry")
    await_turn(page, 0)
    said = page.inner_text("#expected")
    answer = page.inner_text("#moves button >> nth=1").partition(" ")[2]
    assert said.startswith(f"{answer} · It expects: ") and len(said.split()) > 4
    page.click("#previous")
    page.wait_for_function("document.getElementById('expected').textContent === ''")


def test_what_is_known_of_discards_is_said(page: Any) -> None:
    begin(page, "mahjong", "person", "greedy", "greedy", "greedy")
    while not page.locator("#board .can").count():
        move(page)
    page.click("#analysis summary")
    page.fill("#analyst", "expectimax")
    page.click("#analyse")
    page.wait_for_selector("#weights .notes")
    assert re.fullmatch(
        r"shanten \d · useful ([1-9][mpsz] )+\(\d+\) · danger [\d.]+%", page.inner_text("#weights .notes >> nth=0")
    )


def test_a_run_is_watched_while_it_goes_on(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "first"
    small = {"steps": 64, "learning_starts": 32, "buffer_size": 64, "envs": 8}
    config = read_config("hex_dqn", game="hex:board_size=3", evaluation_games=4, ladder=["random"], **small)
    Run(config, folder).train()
    with serving(tmp_path / "tables", run=folder) as web:
        for page in tab(browser, web, viewport={"width": 360, "height": 740}):
            page.wait_for_function("document.getElementById('progress').textContent === 'first: 64'")
            page.click("#run summary")
            assert "eval/random" in page.inner_text("#figures")
            for picture in ("#curves", "#map"):
                page.wait_for_function(f"document.querySelector('{picture}').naturalWidth > 100")
            assert page.locator("#games button").count() == 4
            assert page.evaluate("document.documentElement.scrollWidth") <= 360
            with (folder / "log.jsonl").open("a") as log:
                log.write('{"steps": 96, "eval/random": 0.875}\n{"steps": 12')  # the rest is still to come
            page.wait_for_function("document.getElementById('progress').textContent === 'first: 96'")
            assert "0.875" in page.inner_text("#figures")
            page.locator("#games button").first.click()
            page.wait_for_selector("#board svg")
            assert page.locator("#run").is_hidden()


def test_a_board_stands_in_a_cell(browser: Any, tmp_path: Path) -> None:
    """Of two in one page each has its own table, and keeps it."""
    env = hex_v0.env(board_size=3)
    env.reset()
    first = boyi.board(env, ["person", "random"])
    env.step(4)
    second = boyi.board(env)
    made = browser.new_page()
    (tmp_path / "lab.html").write_text(f"<title>notebook</title>{first._repr_html_()}{second._repr_html_()}")
    notebooks = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=tmp_path))
    threading.Thread(target=notebooks.serve_forever, daemon=True).start()
    made.goto(f"http://localhost:{notebooks.server_port}/lab.html")
    for frame, ply in zip(made.frames[1:], (0, 1), strict=True):
        frame.wait_for_selector("#board svg")
        assert frame.get_attribute("body", "data-ply") == str(ply)
    frame = made.frames[1]
    frame.locator("[data-at=b2]").click()
    frame.wait_for_selector("body[data-ply='2']")
    made.close()
    notebooks.shutdown()
    notebooks.server_close()


def test_recorded_games_are_chosen_looked_at_and_tried_out(page: Any, tmp_path: Path) -> None:
    games = page.locator("#games button")
    assert games.count() == 6
    page.select_option("#who", "mcts:sims=30")
    counts = []
    for result in ("won", "lost", "drawn", "unfinished"):
        page.select_option("#how", result)
        counts.append(games.count())
    assert sum(counts) == 6 and counts[0] > counts[1] and counts[2:] == [0, 0]
    page.select_option("#how", "won")
    games.first.click()
    page.wait_for_selector("#board svg")
    assert "mcts:sims=30" in page.inner_text("#status") and page.locator("#hint").is_hidden()
    page.locator("#moves button").nth(2).click()
    page.wait_for_function("document.getElementById('status').textContent.startsWith('Looking back: 3')")
    page.click("#title")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.getElementById('status').textContent.startsWith('Looking back: 4')")
    with page.expect_popup() as opened:
        page.click("#branch")
    tried = opened.value
    tried.wait_for_selector("#board svg")
    assert tried.locator("#moves button").count() == 4
    move(tried)
    assert tried.locator("#moves button").count() == 5
    tried.close()
    saved = {}
    for button, name in (("#save", "game.jsonl"), ("#picture", "board.svg")):
        with page.expect_download() as downloaded:
            page.click(button)
        assert downloaded.value.suggested_filename == name
        downloaded.value.save_as(tmp_path / name)
        saved[name] = (tmp_path / name).read_text()
    assert saved["board.svg"].startswith("<svg") and '"format": "boyi-game-3"' in saved["game.jsonl"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#copy")
    page.wait_for_function("document.getElementById('status').textContent === 'Copied'")
    diagram = page.evaluate("navigator.clipboard.readText()")
    assert diagram.startswith("hex 4x4  ply 4")
    page.click("#new")
    page.set_input_files("#file", tmp_path / "game.jsonl")
    page.wait_for_function("document.querySelectorAll('#games button').length === 1")
    page.select_option("#game", "hex")
    page.click("#rules summary")
    page.fill("#params [name=board_size]", "4")
    page.click("#setup details:not(#rules) summary")
    page.fill("#position", diagram)
    page.click("#setup [type=submit]")
    page.wait_for_function("document.getElementById('diagram').textContent.startsWith('hex 4x4  ply 4')")


def test_chinese(browser: Any, web: Web) -> None:
    for page in tab(browser, web):
        page.click("#language")
        assert page.inner_text("#setup [type=submit]") == "开始" and page.get_attribute("html", "lang") == "zh"
        begin(page, "hex", "person", "random", board_size="3")
        assert page.inner_text("#status") == "轮到你了"
        page.click("#resign")
        page.wait_for_function("document.getElementById('status').textContent.includes('你输了')")


def test_what_is_wrong_is_a_sentence_on_the_page(page: Any) -> None:
    begin_wrong = [("hex", "person", "mcts:sims=0"), ("hex", "person", "gtp:cmd=rm"), ("mahjong", *["person"] * 4)]
    told = ["sims must be", "--allow-programs", "one person at most"]
    for (game, *seats), words in zip(begin_wrong, told, strict=True):
        page.reload()
        page.wait_for_selector("#setup:not([hidden])")
        page.select_option("#game", game)
        for seat, who in enumerate(seats):
            row = page.locator("#seats .fields").nth(seat)
            row.locator("select").select_option(who if who == "person" else "…")
            if who != "person":
                row.locator("input").fill(who)
        page.click("#setup [type=submit]")
        page.wait_for_function("words => document.getElementById('error').textContent.includes(words)", arg=words)


def test_the_form_stays_open_whatever_happens_at_the_table(page: Any) -> None:
    begin(page, "hex", "random", "random")
    page.click("#new")
    ply = page.evaluate("document.body.dataset.ply")
    page.wait_for_function("ply => document.body.dataset.ply !== ply", arg=ply)
    assert page.is_visible("#setup") and page.is_hidden("#table")
    page.click("#cancel")
    assert page.is_hidden("#setup") and page.is_visible("#board svg")


def test_no_serious_fault_of_access(page: Any) -> None:
    place = os.environ.get("BOYI_AXE")
    if place is None and not os.environ.get("CI"):
        pytest.skip("no axe-core: npm pack axe-core, and its axe.min.js in BOYI_AXE")
    axe = Path(str(place)).read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for game in (None, "hex", "mahjong", "einstein"):
            page.reload()
            page.wait_for_load_state("networkidle")
            if game is not None:
                page.click("#new")
                begin(page, game)
                await_turn(page)
            page.evaluate(axe)
            found = page.evaluate("axe.run().then(all => all.violations)")
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            assert not serious, [(each["id"], each["nodes"][0]["html"][:200]) for each in serious]

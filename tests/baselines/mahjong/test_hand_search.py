"""The search over hands of mahjong: its values against section 14's recursion spelled out, planted decisions, play."""

from functools import cache

import numpy as np
import pytest
from mahjong_positions import Record, count, played, redealt, table
from numba import config

from boyi.baselines.agents import make_agent
from boyi.baselines.mahjong import tree as hand_tree
from boyi.baselines.mahjong.evaluator import Hands
from boyi.baselines.mahjong.risk import Danger
from boyi.baselines.mahjong.search import HandSearch
from boyi.baselines.mahjong.values import PublishedEvaluator
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.view import View
from boyi.envs.mahjong import score, text, tiles
from boyi.envs.mahjong import state as record
from boyi.envs.mahjong.complete import complete

pytestmark = pytest.mark.kernels

GAME = find("mahjong")
LAID = "123m<3:1m 456p<3:4p 789s<3:7s 777z<2"  # four melds of seat 0
MELDS = [("chow", "123m"), ("chow", "456p"), ("chow", "789s"), ("pong", "777z")]


class Toy:
    """Values no two discards alike, by what an evaluator is told; counts how often it is asked."""

    def __init__(self) -> None:
        lots = np.random.default_rng(3)
        self.held, self.seen = lots.normal(size=(2, 34, 34)) * 300
        self.kind, self.asked = lots.normal(size=34) * 500 + 1000, 0

    def q(self, hands: Hands) -> np.ndarray:
        """Value discards, whether a hand holds them or not."""
        self.asked += 1
        told = 70.0 * hands.draws + 11.0 * hands.need + 5.0 * hands.states["melds"][0, hands.seat]
        return (hands.tiles @ self.held + hands.unseen @ self.seen + self.kind + told).astype(np.float32)


class Plainly:
    """The recursion of section 14, one hand at a time, for seat 0 with the melds `melds`."""

    def __init__(self, state: Record, alpha: float, melds: list[tuple[str, str]], *, kong_draw: bool = False) -> None:
        self.state, self.tenths, self.melds, self.toy = state, round(10 * alpha), melds, Toy()
        self.kong_draw = kong_draw

    def discard(self, hand: np.ndarray, unseen: np.ndarray, depth: int, live: int) -> dict[int, float]:
        """Return what the discards that are followed are worth."""
        q = self.toy.q(Hands(self.state, 0, 5 - len(self.melds), live // 4, hand[None], unseen[None]))[0]
        kinds = sorted(np.flatnonzero(hand).tolist(), key=lambda k: (-q[k], k))
        depth = min(depth, live // 4)
        if depth == 0:
            return {k: float(q[k]) for k in kinds}
        n = -(-self.tenths * int(hand.sum()) // 10)
        return {k: self.draw(hand - np.eye(34, dtype=np.int8)[k], unseen, depth, live - 4) for k in kinds[:n]}

    def draw(self, hand: np.ndarray, unseen: np.ndarray, depth: int, live: int) -> float:
        """Return what a hand is worth that draws, `live` tiles being left after that."""
        total, kong_draw, self.kong_draw = 0.0, self.kong_draw, False
        for k in np.flatnonzero(unseen):
            one = np.eye(34, dtype=np.int8)[k]
            if bind(complete, GAME)(hand, k, -1):
                worth = self.win(hand + one, int(k), live == 0, kong_draw)
            else:
                worth = max(self.discard(hand + one, unseen - one, depth - 1, live).values())
            total += unseen[k] / unseen.sum() * worth
        return total

    def win(self, hand: np.ndarray, k: int, last: bool, kong_draw: bool) -> float:
        """Return what three pay for a hand drawn by seat 0, the dealer."""
        tile = {"last_tile": last, "kong_draw": kong_draw}
        return 3 * (score(tiles.write(hand), tiles.name_of(k), "self", self.melds, **tile).points + 500)


def unseen_by(s: np.void) -> np.ndarray:
    """Count what seat 0 has not seen: the wall and the others' hands."""
    return (s["wall"] + s["hand"][1:].sum(axis=0)).astype(np.int8)


def worth_of(state: Record, alpha: float, depth: int, evaluator: object) -> np.ndarray:
    """Ask a new search what the actions of a position are worth."""
    return HandSearch(GAME, alpha, depth, evaluator).worth(played(state).view())  # type: ignore[arg-type]


def charged(game: Game, alpha: float, depth: int) -> HandSearch:
    """Return a search that values hands as it does by default, and charges discards."""
    return HandSearch(game, alpha, depth, PublishedEvaluator(game), Danger(game).risk)


@cache
def plain(depth: int) -> HandSearch:
    """Return the search by default at full width."""
    return charged(GAME, 1.0, depth)


def decided(state: Record, depth: int = 1) -> str:
    """Name what the plain search decides."""
    return text.name(state[0], plain(depth).decide(played(state).view()))


@pytest.mark.parametrize(
    ("tenths", "numbers"),
    [(2, (4, 3, 3, 2, 1, 1)), (4, (7, 6, 5, 4, 2, 1)), (6, (11, 9, 7, 5, 3, 2)), (8, (14, 12, 9, 7, 4, 2)),
     (10, (17, 14, 11, 8, 5, 2))],
)  # fmt: skip
def test_as_many_discards_are_followed_as_published(tenths: int, numbers: tuple[int, ...]) -> None:
    assert tuple(hand_tree.branches(n, tenths) for n in (17, 14, 11, 8, 5, 2)) == numbers


LATE = [("34m22p9s", 40), ("34m22p9s", 4), ("35m22p9s", 8), ("3m27p4s5z", 8), ("2233m5z", 3)]


@pytest.mark.parametrize(("hand", "live"), LATE[: count(5, 3)])
@pytest.mark.parametrize("alpha", [0.4, 1.0])
@pytest.mark.parametrize("depth", [1, 2][: count(2, 1)])
def test_values_are_those_of_the_recursion(hand: str, live: int, alpha: float, depth: int) -> None:
    """Draws that win bring what they really score, a last tile's tai among it; fewer draws make fewer layers."""
    state = table(hand, melds={0: LAID}, live=live)
    s, recursion = state[0], Plainly(state, alpha, MELDS)
    expected = recursion.discard(s["hand"][0], unseen_by(s), depth, live)
    worth = worth_of(state, alpha, depth, Toy())
    assert set(np.flatnonzero(~np.isnan(worth))) == set(expected)
    assert [worth[k] for k in expected] == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("depth", [1, 2][: count(2, 1)])
@pytest.mark.parametrize("live", [30, 2, 1])
def test_a_claim_is_worth_the_hand_after_it_and_passing_the_next_draw(depth: int, live: int) -> None:
    """Seat 3 discards, so that seat 0 draws next if nobody claims."""
    state = played(table("3457m", "", "", "6m", turn=3, melds={0: LAID}, last="6m", live=live, far="6m"), "6m").states
    s, recursion = state[0], Plainly(state, 1.0, MELDS)
    hand, unseen = s["hand"][0], unseen_by(s)
    worth = worth_of(state, 1.0, depth, Toy())
    assert worth[record.PASS] == pytest.approx(recursion.draw(hand, unseen, depth, live - 1))
    after = played(state, "chow 567m").states
    recursion = Plainly(after, 1.0, [*MELDS, ("chow", "567m")])
    expected = max(recursion.discard(after[0]["hand"][0], unseen, depth - 1, live).values())
    assert worth[record.TAKE_MIDDLE] == pytest.approx(expected)


def test_a_kong_is_worth_its_replacement() -> None:
    """The draw is the first layer's, a win by it has one tai more; it is set against a discard with a layer less."""
    melds = {0: "123m<3:1m 456p<3:4p 789s<3:7s 999p<2"}
    state = table("9p45s66p", melds=melds, last="9p", live=30)
    after = state.copy()
    after["hand"][0, 0, 17] = 0
    after["form"][0, 0, 3] = 4
    laid = [*MELDS[:3], ("added_kong", "9999p")]
    recursion = Plainly(after, 1.0, laid, kong_draw=True)
    worth = worth_of(state, 1.0, 1, Toy())
    expected = recursion.draw(after[0]["hand"][0], unseen_by(state[0]), 1, 29)
    plainly = Plainly(state, 1.0, [*MELDS[:3], ("pong", "999p")])
    flat, deep = (plainly.discard(state[0]["hand"][0], unseen_by(state[0]), depth, 30) for depth in (0, 1))
    expected += max(deep.values()) - max(flat.values())
    assert worth[record.DECLARE + 17] == pytest.approx(expected)


def test_passing_without_a_draw_is_worth_the_hand_as_it_is() -> None:
    """Seat 1 discards, and seat 0 would draw the third tile of two."""
    state = played(table("3477m", "7m", turn=1, melds={0: LAID}, last="7m", live=2, far="7m"), "7m").states
    hand = state[0]["hand"][0].copy()
    hand[6] += 1
    expected = Toy().q(Hands(state, 0, 1, 0, hand[None], unseen_by(state[0])[None]))[0, 6]
    worth = worth_of(state, 1.0, 2, Toy())
    assert worth[record.PASS] == pytest.approx(float(expected))
    assert not np.isnan(worth[record.TAKE_PONG])


def test_what_a_discard_risks_is_taken_off() -> None:
    """Who knows how likely a discard is won on has its way with the discards of the position itself."""
    toy = Toy()

    def risk(hands: Hands) -> tuple[np.ndarray, float]:
        assert hands.tiles.shape == (1, 34)
        return toy.kind / 10_000, 1500.0

    state = table("34m22p9s", melds={0: LAID}, live=20)
    bold, chances = worth_of(state, 1.0, 1, toy), toy.kind / 10_000
    expected = bold[:34] - chances * (bold[:34] + 1500)
    wary = HandSearch(GAME, 1.0, 1, toy, risk)
    np.testing.assert_allclose(wary.worth(played(state).view())[:34], expected)


def test_the_evaluator_is_asked_once_a_layer() -> None:
    for depth in (1, 2):
        toy = Toy()
        worth_of(table("34m22p9s", melds={0: LAID}, live=40), 0.4, depth, toy)
        assert toy.asked == 1 + depth


def test_a_win_is_always_taken() -> None:
    assert decided(table("456m123456p123456s11z", last="5m")) == "win"
    assert plain(1).value == 3 * (1000 + 500 * 5)  # concealed and drawn 3, single wait 1, the dealer's 1
    state = played(table("5m", "46m123456p123456s11z", far="5m"), "5m").states
    assert decided(state) == "win"
    assert plain(1).value == 1000 + 500 * 3  # concealed 1, single wait 1, paid by the dealer 1


@pytest.mark.parametrize("depth", [1, 2][: count(2, 1)])
def test_of_two_waits_the_one_with_more_tiles_is_kept(depth: int) -> None:
    """With 46m it waits for 5m, with 24m for 3m: that of which three lie on the table is given up."""
    for gone, decision in (("3m", "2m"), ("5m", "6m")):
        thrown = f"0:1z 1:{gone} 2:{gone} 3:{gone}"
        assert decided(table("246m123456p123456s55z", last="4m", thrown=thrown), depth) == decision


def test_claims_are_taken_for_what_they_bring() -> None:
    """A chow that completes the hand but for its last tile is taken, one that breaks a chow in it is not."""
    ready = played(table("2m", "34m123456p12378s55z"[:-1] + "5z", far="2m5m"), "2m").states
    assert decided(ready) == "chow 234m"
    useless = played(table("5m", "456m123456p12378s5z", far="5m"), "5m").states
    assert decided(useless) == "pass"


def test_a_decision_hangs_on_nothing_hidden() -> None:
    state = table("1358m2469p1335s2467z"[:-2] + "7z", last="7z", melds={2: "8888s!"})
    worth = plain(1).worth(played(state).view())
    for k in range(count(10, 2)):
        again = redealt(state, 0, k)
        assert k > 0 or (again != state).any()
        np.testing.assert_array_equal(plain(1).worth(played(again).view()), worth)


def test_the_same_position_gives_the_same_tree() -> None:
    view = table_view("1358m2469p1335s24677z")
    found = []
    for _ in range(2):
        search = charged(GAME, 0.4, count(2, 1))
        found.append((search.decide(view), search.value, search.nodes, search.leaves))
    assert found[0] == found[1] == (search.decide(view), search.value, search.nodes, search.leaves)
    assert search.leaves < search.nodes


def table_view(hand: str) -> View:
    """Show seat 0 its turn with a hand."""
    return played(table(hand)).view()


@pytest.mark.skipif(config.DISABLE_JIT, reason="a quarter of a million hands")
def test_the_widest_tree_stays_inside_its_memory() -> None:
    """Seventeen different kinds, all drawn and discarded in any order: each hand is entered once."""
    search = plain(2)
    search.decide(table_view("147m147p147s1234567z2m"))
    levels = [*search.trees[0].drawing, *search.trees[0].discarding]
    sizes, rooms = [int(level.size[0]) for level in levels], [level.keys.size for level in levels]
    assert all(size <= room for size, room in zip(sizes, rooms, strict=True))
    tiles_drawn = 34 + 33 * 34 // 2 + 34  # of two tiles
    assert search.leaves <= (17 * 16 // 2 + 17 + 1) * tiles_drawn
    assert search.nbytes < 64e6


def test_it_plays_legal_hands() -> None:
    hands = count(20, 1)
    search, batch = charged(GAME, 0.6, 1), Batch(GAME, hands, seed=3, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        view = batch.view(rows)
        actions = np.array([search.decide(view, k) for k in range(rows.size)])
        batch.step(actions, rows)
    assert (batch.states["won"] > 0).any(axis=1).mean() > 0.5 or config.DISABLE_JIT


@pytest.mark.parametrize("number", range(4))
def test_it_plays_by_every_set_of_rules(number: int) -> None:
    game = find("mahjong", **GAME.spec.tested[number])
    search = charged(game, 0.2, 1)
    batch = Batch(game, count(2, 1), seed=number, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        view = batch.view(rows)
        batch.step(np.array([search.decide(view, k) for k in range(rows.size)]), rows)
        assert np.isfinite(search.value)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"game": "hex"}, "plays mahjong, not hex"),
        ({"alpha": 0.25}, "alpha must be a multiple of 0.1 from 0.1 to 1, not 0.25"),
        ({"alpha": 0.0}, "alpha must be a multiple"),
        ({"depth": 3}, "mahjong is searched 1 to 2 layers"),
    ],
)
def test_what_it_cannot_search_is_refused(values: dict, says: str) -> None:
    given = {"alpha": 1.0, "depth": 1, "evaluator": PublishedEvaluator(GAME), **values}
    with pytest.raises(BoyiError, match=says):
        HandSearch(find(given.pop("game", "mahjong")), **given)


def test_the_published_search_does_not_know_what_others_win_on() -> None:
    """As `plain`, the default, values discards but for what it charges them with."""
    state = table("19m28p37s5566z1234z5p", live=30)
    plainly = plain(1).worth(played(state).view())[:34]
    published = worth_of(state, 1.0, 1, PublishedEvaluator(GAME))[:34]
    hands = Hands(state, 0, 5, 7, state["hand"][0, :1], state["hand"][0, :1])
    chances, lost = Danger(GAME).risk(hands)
    assert np.nanmax(chances * (published + lost)) > 10
    np.testing.assert_allclose(plainly, published - chances * (published + lost))


def test_an_evaluator_is_named_in_the_string() -> None:
    state = table("19m28p37s5566z1234z5p", live=30)
    published = worth_of(state, 1.0, 1, PublishedEvaluator(GAME))
    told = {
        "": True,
        ":evaluator=plain": True,
        ":evaluator=published": False,
        ":danger=no": False,
        ":evaluator=published,danger=yes": True,
    }
    for words, charges in told.items():
        agent = make_agent(f"expectimax{words}", GAME)
        assert str(agent) == f"expectimax{words}"
        worth = agent.search.worth(played(state).view())  # type: ignore[attr-defined]
        np.testing.assert_array_equal(worth, plain(1).worth(played(state).view()) if charges else published)
    with pytest.raises(BoyiError, match="expectimax knows no danger in einstein"):
        make_agent("expectimax:danger=yes", "einstein")
    with pytest.raises(BoyiError, match="published values hands of tiles, einstein has none"):
        make_agent("expectimax:evaluator=published", "einstein")
    with pytest.raises(BoyiError, match="random judges no positions: evaluator is one of evaluate, plain, published"):
        make_agent("expectimax:evaluator=random", GAME)

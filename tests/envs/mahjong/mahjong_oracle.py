"""Mahjong in slow, plain Python, written from envs/mahjong/RULES.md alone: it shares no line with the kernels."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from typing import Any

Meld = tuple[str, int, "int | None", "int | None"]  # type, lowest kind, claimed kind, the seat that it came from
Part = tuple[str, int]  # ("chow", lowest kind), ("pong", kind) or ("pair", kind)
Discard = tuple[int, int, "int | None"]  # kind, the seat that discarded it, the seat that claimed it
Planes = list[list[list[float]]]

KINDS = range(34)
WINDS, DRAGONS, HONORS = range(27, 31), range(31, 34), range(27, 34)
WIN, PONG, KONG, CHOW_LOW, CHOW_MIDDLE, CHOW_HIGH, PASS = 68, 69, 70, 71, 72, 73, 74
CHOWS = {CHOW_LOW: 0, CHOW_MIDDLE: 1, CHOW_HIGH: 2}  # how far the claimed tile is above the lowest tile of the chow


@dataclass
class Parameters:
    """The table of parameters."""

    dealer: int = 0
    streak: int = 0
    round_wind: int = 0
    base: int = 1000
    fan: int = 500
    dealer_tai: bool = True
    reserve: int = 16
    reserve_per_kong: int = 0
    tail_no_claim: int = 0
    min_tai: int = 0
    multi_win: str = "head_bump"
    missed_win: str = "none"
    swap_call_ban: bool = False
    kong_from_left: bool = True
    win_after_melded_kong: bool = True
    hide_concealed_kong: bool = True
    ask_all: bool = False
    heavenly: int = 16
    earthly: int = 16
    human: int = 16
    concealed_self_draw: int = 3
    all_honors: int = 16
    last_discard: int = 1
    half_claimed: int = 1
    single_wait_all_claimed: bool = True
    five_concealed_all_pongs: bool = True


# Tiles, melds and complete hands (§1, §2)


def tile(kind: int) -> str:
    """The tile's name, as `4m` (§1)."""
    return f"{kind % 9 + 1}{'mpsz'[kind // 9]}"


def chow(low: int) -> list[int]:
    """The three kinds of the chow from `low` on; no kinds where there is no such chow (§2)."""
    return [low, low + 1, low + 2] if 0 <= low < 27 and low % 9 <= 6 else []


def tiles_of(part: Part) -> list[int]:
    """The concealed tiles of a chow, a pong or a pair."""
    what, kind = part
    if what == "chow":
        return chow(kind)
    return [kind] * (3 if what == "pong" else 2)


def tiles_of_meld(meld: Meld) -> list[int]:
    """The tiles of a declared meld: three, of a kong four (§2)."""
    what, kind = meld[0], meld[1]
    if what == "chow":
        return chow(kind)
    return [kind] * (3 if what == "pong" else 4)


def take(hand: "Counter[int]", kinds: Iterable[int]) -> None:
    """Take tiles out of a hand that has them."""
    for kind in kinds:
        if hand[kind] <= 0:
            raise AssertionError(f"no {tile(kind)} in the hand")
        hand[kind] -= 1
        if hand[kind] == 0:
            del hand[kind]


@cache
def group_splits(counts: tuple[int, ...], first: int, pair_left: bool) -> tuple[tuple[Part, ...], ...]:
    """All ways to split the tiles of one suit (or the honors), whose kinds begin with `first`, into melds and, while
    `pair_left`, at most one pair. The lowest tile has to be in some part: take it with each part that begins with it.
    """
    if not any(counts):
        return ((),)
    low = next(i for i, count in enumerate(counts) if count)
    kind = first + low
    parts: list[Part] = [("chow", kind), ("pong", kind)] + ([("pair", kind)] if pair_left else [])
    ways: set[tuple[Part, ...]] = set()
    for part in parts:
        rest = list(counts)
        for member in tiles_of(part):
            rest[member - first] -= 1
        if not tiles_of(part) or min(rest) < 0:
            continue
        for way in group_splits(tuple(rest), first, pair_left and part[0] != "pair"):
            ways.add(tuple(sorted((part, *way))))
    return tuple(sorted(ways))


def splits(concealed: "Counter[int]") -> list[tuple[Part, ...]]:
    """All ways to split concealed tiles into melds and exactly one pair."""
    groups = []
    for first, size in ((0, 9), (9, 9), (18, 9), (27, 7)):
        ways = group_splits(tuple(concealed[first + i] for i in range(size)), first, True)
        if not ways:
            return []
        groups.append(ways)
    wholes = [sum(ways, ()) for ways in product(*groups)]
    return [whole for whole in wholes if sum(part[0] == "pair" for part in whole) == 1]


def complete(concealed: "Counter[int]", melds: Sequence[Meld]) -> bool:
    """Whether the tiles and the declared melds make five melds and a pair (§2)."""
    return sum(concealed.values()) == 3 * (5 - len(melds)) + 2 and bool(splits(concealed))


def waits_of(concealed: "Counter[int]", melds: Sequence[Meld]) -> set[int]:
    """The kinds that complete a hand that waits, without those of which it has all four (§14)."""
    own = Counter(concealed)
    for meld in melds:
        own.update(tiles_of_meld(meld))
    return {kind for kind in KINDS if own[kind] < 4 and complete(concealed + Counter([kind]), melds)}


# Tai (§14, §15)


def wait_of(part: Part, win: int) -> str:
    """The kind of wait when `win` is the last tile of this part (§14)."""
    what, low = part
    if what != "chow":
        return "pair" if what == "pair" else "triplet"
    if win == low + 1:
        return "closed"
    if (low % 9 == 0 and win == low + 2) or (low % 9 == 6 and win == low):
        return "edge"
    return "two-sided"


def items_of(
    split: Sequence[Part],
    place: Part,
    win: int,
    waits: Collection[int],
    by: str,
    melds: Sequence[Meld],
    seat_wind: int,
    round_wind: int,
    flags: Collection[str],
    p: Parameters,
) -> dict[str, int]:
    """The items that count for one split of the concealed tiles with the winning tile in one place of it."""
    pair = next(kind for what, kind in split if what == "pair")
    chows = [kind for what, kind in split if what == "chow"] + [meld[1] for meld in melds if meld[0] == "chow"]
    pongs = [kind for what, kind in split if what == "pong"] + [meld[1] for meld in melds if meld[0] != "chow"]
    everything = [kind for part in split for kind in tiles_of(part)]
    everything += [kind for meld in melds for kind in tiles_of_meld(meld)]
    suits = {kind // 9 for kind in everything if kind not in HONORS}
    honors = any(kind in HONORS for kind in everything)
    declared = [meld for meld in melds if meld[0] != "concealed_kong"]
    triplets = sum(what == "pong" for what, _ in split) + sum(meld[0] == "concealed_kong" for meld in melds)
    if place[0] == "pong" and by != "self":
        triplets -= 1
    wait = wait_of(place, win)
    dragons, winds = sum(kind in DRAGONS for kind in pongs), sum(kind in WINDS for kind in pongs)

    items: dict[str, int] = {}
    if by == "self":
        items["self_draw"] = 1  # T01
    if not declared:
        items["concealed_hand"] = 1  # T02
    if by == "self" and not declared:
        items["concealed_self_draw"] = p.concealed_self_draw  # T03
    if dragons:
        items["dragon_pong"] = dragons  # T04
    if 27 + round_wind in pongs:
        items["round_wind"] = 1  # T05
    if 27 + seat_wind in pongs:
        items["seat_wind"] = 1  # T06
    if len(waits) == 1 and wait in ("pair", "closed", "edge"):
        items["single_wait"] = 1  # T07
    if by == "rob":
        items["robbed_kong"] = 1  # T08
    if by == "self" and "kong_draw" in flags:
        items["kong_draw"] = 1  # T09
    if by == "self" and "last_draw" in flags:
        items["last_draw"] = 1  # T10
    if by == "discard" and "last_discard" in flags:
        items["last_discard"] = p.last_discard  # T11
    if len(declared) == 5 and by != "self":
        items["all_claimed"] = 2  # T12
    if len(declared) == 5 and by == "self":
        items["half_claimed"] = p.half_claimed  # T13
    if len(chows) == 5 and not honors and by == "discard" and wait == "two-sided" and len(waits) >= 2:
        items["all_chows"] = 2  # T14
    if triplets == 3:
        items["three_concealed"] = 2  # T15
    if triplets == 4:
        items["four_concealed"] = 5  # T16
    if triplets == 5:
        items["five_concealed"] = 8  # T17
    if len(pongs) == 5:
        items["all_pongs"] = 4  # T18
    if len(suits) == 1 and honors:
        items["half_flush"] = 4  # T19
    if len(suits) == 1 and not honors:
        items["full_flush"] = 8  # T20
    if not suits:
        items["all_honors"] = p.all_honors  # T21
    if dragons == 2 and pair in DRAGONS:
        items["little_dragons"] = 4  # T22
    if dragons == 3:
        items["big_dragons"] = 8  # T23
    if winds == 3 and pair in WINDS:
        items["little_winds"] = 8  # T24
    if winds == 4:
        items["big_winds"] = 16  # T25
    if "heavenly" in flags:
        items["heavenly"] = p.heavenly  # T26
    if "earthly" in flags:
        items["earthly"] = p.earthly  # T27
    if "human" in flags:
        items["human"] = p.human  # T28

    exclusions = {  # §15
        "concealed_self_draw": ["self_draw", "concealed_hand"],
        "little_dragons": ["dragon_pong"],
        "big_dragons": ["dragon_pong"],
        "little_winds": ["round_wind", "seat_wind"],
        "big_winds": ["round_wind", "seat_wind"],
        "all_honors": ["all_pongs"],
        "heavenly": ["self_draw", "concealed_hand", "concealed_self_draw", "single_wait", "kong_draw"],
        "earthly": ["self_draw", "concealed_hand", "concealed_self_draw"],
        "human": ["concealed_hand"],
    }
    if not p.single_wait_all_claimed:
        exclusions["all_claimed"] = ["single_wait"]
    if not p.five_concealed_all_pongs:
        exclusions["five_concealed"] = ["all_pongs"]
    gone = {loser for keeper, losers in exclusions.items() if keeper in items for loser in losers}
    return {item: tai for item, tai in items.items() if item not in gone and tai > 0}


def score(
    concealed: Iterable[int],
    win: int,
    by: str,
    melds: Sequence[Meld],
    seat_wind: int,
    round_wind: int,
    flags: Collection[str] = (),
    **params: Any,
) -> tuple[dict[str, int], int, set[int]]:
    """The items, the tai and the waits of a win (§14).

    `concealed` holds the winning tile `win` too, as a Counter or a list; `by` is "discard", "self" or "rob". `flags`
    may have kong_draw, last_draw, last_discard, heavenly, earthly, human: they have their place apart from `params`,
    for some parameters have the same names. The highest total counts; of equal ones the first found.
    """
    p = Parameters(**params)
    hand = Counter(concealed) if isinstance(concealed, Counter) else Counter(list(concealed))
    best: tuple[dict[str, int], int, set[int]] | None = None
    for last in [win, *(sorted(hand) if "heavenly" in flags else [])]:  # T26: any tile counts as the winning one
        before = Counter(hand)
        take(before, [last])
        waits = waits_of(before, melds)
        for split in splits(hand):
            for place in sorted(set(split)):
                if last in tiles_of(place):
                    items = items_of(split, place, last, waits, by, melds, seat_wind, round_wind, flags, p)
                    tai = sum(items.values())
                    if best is None or tai > best[1]:
                        best = items, tai, waits
    assert best is not None, "the hand is not complete"
    return best


class Mahjong:
    """One hand. What is a Counter holds how many tiles there are of each kind."""

    def __init__(self, hands: Sequence[Iterable[int]] = ((), (), (), ()), **params: Any) -> None:
        """The position after the deal (§3): `hands` are the four seats' tiles, 17 of the dealer, 16 of the others.

        Where they are left out, a record that has them is to `deal` them.
        """
        self.p = Parameters(**params)
        self.hands: list[Counter[int]] = [Counter(list(hand)) for hand in hands]
        self.melds: list[list[Meld]] = [[], [], [], []]
        self.discards: list[Discard] = []
        self.phase = "turn"  # or "claim" (a discard is offered) or "rob" (the tile of an added kong is)
        self.turn = self.p.dealer  # whose turn it is; while a tile is offered, who offers it
        self.began = "deal"  # how the turn began: "deal", "draw", "replacement" or "claim"
        self.due: str | None = None  # "draw" or "replacement" when the seat in turn is to draw
        self.after_claimed_kong = False  # whether the replacement due or drawn is that of a kong that was claimed
        self.last_drawn: int | None = None
        self.banned: set[int] = set()  # what may not be discarded in this turn (§6)
        self.offer: int | None = None
        self.options: dict[int, set[int]] = {}  # what those who are asked may answer, in the order of asking
        self.answers: dict[int, int] = {}  # what they have answered
        self.missed: set[int] = set()
        self.drawn = [0, 0, 0, 0]  # how many tiles every seat has drawn after the deal
        self.undisturbed = True  # no claim and no kong so far
        self.ended = False
        self.offender: int | None = None
        self.paid_by: int | None = None
        self.results: dict[int, tuple[dict[str, int], int, set[int]]] = {}  # items, tai and waits of each winner
        if any(self.hands):
            self.check_deal()

    def check_deal(self) -> None:
        """Check that the hands are what a deal gives (§3)."""
        sizes = [sum(hand.values()) for hand in self.hands]
        assert sizes == [17 if seat == self.p.dealer else 16 for seat in range(4)]
        assert min(self.wall().values()) >= 0

    def deal(self, state: Any) -> None:
        """Take the hands from a record."""
        self.hands = [Counter({kind: int(n) for kind, n in enumerate(hand) if n}) for hand in state["hand"]]
        self.check_deal()

    def resolve(self, outcome: int) -> None:
        """Draw what outcomes are numbered by: the tile's kind."""
        self.draw(outcome)

    def copy(self) -> "Mahjong":
        """A game of its own in the same position."""
        return deepcopy(self)

    # Whose move, and the wall

    def over(self) -> bool:
        return self.ended

    def mover(self) -> int | None:
        """The seat that must act now; None when a draw is due and when the hand is over."""
        if self.ended or self.due is not None:
            return None
        return self.turn if self.phase == "turn" else self.asked()[0]

    def asked(self) -> list[int]:
        """Who still has to answer, in order (§9)."""
        return [seat for seat in self.options if seat not in self.answers]

    def drawing(self) -> int | None:
        """The seat that is to draw a tile; None when none is."""
        return self.turn if self.due is not None and not self.ended else None

    def wall(self) -> "Counter[int]":
        """What nobody holds or has discarded or declared (§4). A claimed discard is in a meld or a winner's hand."""
        wall = Counter(dict.fromkeys(KINDS, 4))
        for seat in range(4):
            wall.subtract(self.hands[seat])
            for meld in self.melds[seat]:
                wall.subtract(tiles_of_meld(meld))
        wall.subtract(kind for kind, _, claimer in self.discards if claimer is None)
        return wall

    def kongs(self) -> int:
        """How many kongs have been declared; an added one that may still be robbed does not count (§7)."""
        return sum(meld[0] in ("kong", "added_kong", "concealed_kong") for melds in self.melds for meld in melds)

    def live(self) -> int:
        """How many tiles can still be drawn (§4)."""
        return sum(self.wall().values()) - self.p.reserve - self.p.reserve_per_kong * self.kongs()

    def kong_leaves_live_tile(self) -> bool:
        """Whether after one kong more there is a live tile for its replacement (§7)."""
        return self.live() - self.p.reserve_per_kong >= 1

    def draw(self, kind: int) -> None:
        """The seat in turn gets the tile that it is to draw (§4, §5)."""
        if self.drawing() is None or self.wall()[kind] <= 0 or self.live() <= 0:
            raise AssertionError("no draw is due, or not of this tile")
        assert self.due is not None
        self.hands[self.turn][kind] += 1
        self.drawn[self.turn] += 1
        self.last_drawn, self.began, self.due = kind, self.due, None

    # What is legal

    def legal(self) -> set[int]:
        """The actions open to the mover (§20); none when nobody is to move."""
        mover = self.mover()
        if mover is None:
            return set()
        if self.phase != "turn":
            return set(self.options[mover])
        actions = {kind for kind in self.hands[mover] if kind not in self.banned}
        actions |= {34 + kind for kind in self.own_kongs()}
        return actions | ({WIN} if self.wins_by_self_draw() else set())

    def own_kongs(self) -> set[int]:
        """The kinds of which the seat in turn may declare a kong (§7)."""
        if self.began == "claim" or self.live() <= 0 or not self.kong_leaves_live_tile():
            return set()
        hand = self.hands[self.turn]
        pongs = {meld[1] for meld in self.melds[self.turn] if meld[0] == "pong"}
        return {kind for kind in hand if hand[kind] == 4 or kind in pongs}

    def wins_by_self_draw(self) -> bool:
        """Whether the seat in turn may win (§11, §12)."""
        seat = self.turn
        if self.began == "claim" or not complete(self.hands[seat], self.melds[seat]):
            return False
        if self.p.missed_win == "strict" and seat in self.missed:
            return False
        if self.began == "replacement" and self.after_claimed_kong and not self.p.win_after_melded_kong:
            return False
        return self.p.min_tai == 0 or self.score_self_draw()[1] >= self.p.min_tai

    def wins_on_offer(self, seat: int) -> bool:
        """Whether a seat may win on the tile that is offered (§8, §10, §11, §12)."""
        assert self.offer is not None
        if seat in self.missed or not complete(self.hands[seat] + Counter([self.offer]), self.melds[seat]):
            return False
        return self.p.min_tai == 0 or self.score_on_offer(seat)[1] >= self.p.min_tai

    def discards_left(self, seat: int, from_hand: Sequence[int], banned: set[int]) -> bool:
        """Whether a seat that claims with these tiles from its hand has something that it may discard then (§6)."""
        rest = Counter(self.hands[seat])
        take(rest, from_hand)
        return any(kind not in banned for kind in rest)

    def bans(self, action: int, kind: int) -> set[int]:
        """What may not be discarded after this claim of a tile of this kind (§6)."""
        if not self.p.swap_call_ban or action == KONG:
            return set()
        if action == PONG:
            return {kind}
        own = self.from_hand(action, kind)
        return {other for other in KINDS if sorted([*own, other]) in [chow(low) for low in KINDS]}

    def from_hand(self, action: int, kind: int) -> list[int]:
        """The tiles that a claim of a tile of this kind takes from the hand (§8); none where there is no such chow."""
        if action in (PONG, KONG):
            return [kind] * (2 if action == PONG else 3)
        return [member for member in chow(kind - CHOWS[action]) if member != kind]

    def claims(self, seat: int) -> set[int]:
        """What a seat may answer, passing apart, to the tile that is offered (§8, §10)."""
        assert self.offer is not None
        actions = {WIN} if self.wins_on_offer(seat) else set()
        if self.phase == "rob" or self.live() <= self.p.tail_no_claim:
            return actions
        following = seat == (self.turn + 1) % 4
        for action in (PONG, KONG, *CHOWS):
            own = self.from_hand(action, self.offer)
            if not own or any(self.hands[seat][kind] < own.count(kind) for kind in own):
                continue
            if action in CHOWS and not following:
                continue
            if action == KONG and (
                (following and not self.p.kong_from_left) or self.live() <= 0 or not self.kong_leaves_live_tile()
            ):
                continue
            if action != KONG and (
                self.live() <= 0 or not self.discards_left(seat, own, self.bans(action, self.offer))
            ):
                continue
            actions.add(action)
        return actions

    # Play

    def play(self, action: int) -> None:
        """Play an action of the mover or, when it is not legal, forfeit the hand (§20)."""
        mover = self.mover()
        if mover is None:
            raise AssertionError("nobody is to move")
        legal = self.legal()
        if action not in legal:
            self.offender, self.ended = mover, True  # and the table stays as it is
        elif self.phase != "turn":
            self.answers[mover] = action
            if not self.asked() or (action == WIN and self.p.multi_win == "head_bump"):
                self.settle_answers()
        elif action == WIN:
            self.results[mover] = self.score_self_draw()
            self.finish()
        else:
            if WIN in legal and self.p.missed_win == "strict":
                self.missed.add(mover)  # §12
            if action < 34:
                self.discard(action)
            else:
                self.declare_kong(action - 34)

    def discard(self, kind: int) -> None:
        """Discard a tile and offer it (§5, §6, §8)."""
        seat = self.turn
        was_complete = complete(self.hands[seat], self.melds[seat])
        take(self.hands[seat], [kind])
        self.discards.append((kind, seat, None))
        self.last_drawn, self.banned, self.after_claimed_kong = None, set(), False
        if self.p.missed_win == "until_own_discard" or not was_complete:
            self.missed.discard(seat)  # §12
        self.offer_tile("claim", kind)

    def declare_kong(self, kind: int) -> None:
        """Declare a kong in one's own turn (§7)."""
        seat = self.turn
        if self.hands[seat][kind] == 4:
            take(self.hands[seat], [kind] * 4)
            self.melds[seat].append(("concealed_kong", kind, None, None))
            self.await_replacement(claimed=False)
        else:
            self.offer_tile("rob", kind)

    def await_replacement(self, claimed: bool) -> None:
        """A kong has been made: its owner goes on with a replacement (§5)."""
        self.undisturbed = False
        self.last_drawn, self.due, self.after_claimed_kong = None, "replacement", claimed

    def offer_tile(self, phase: str, kind: int) -> None:
        """Offer a discard or the tile of an added kong: find out who is asked and what each may answer (§9)."""
        self.phase, self.offer, self.options, self.answers = phase, kind, {}, {}
        for step in (1, 2, 3):
            seat = (self.turn + step) % 4
            claims = self.claims(seat)
            if claims or self.p.ask_all:
                self.options[seat] = claims | {PASS}
        if not self.options:
            self.settle_answers()

    def settle_answers(self) -> None:
        """The last answer has been given: carry out the one that goes before the others (§10)."""
        assert self.offer is not None
        phase, kind, answers = self.phase, self.offer, self.answers
        if self.p.missed_win != "none":
            self.missed |= {seat for seat in answers if WIN in self.options[seat] and answers[seat] != WIN}  # §12
        winners = [seat for seat in self.options if answers.get(seat) == WIN]
        takers = [seat for seat in answers if answers[seat] in (PONG, KONG)]
        takers += [seat for seat in answers if answers[seat] in CHOWS]
        if winners:
            for seat in winners:
                self.results[seat] = self.score_on_offer(seat)
            self.paid_by = self.turn
            if phase == "rob":
                take(self.hands[self.turn], [kind])
                self.last_drawn = None
            else:
                self.discards[-1] = (kind, self.turn, winners[0])
            self.hands[winners[0]][kind] += 1  # there is one tile only: of several winners the first has it
            self.finish()
            return
        self.phase, self.offer, self.options, self.answers = "turn", None, {}, {}
        if phase == "rob":
            self.make_added_kong(kind)
        elif takers:
            self.make_claimed_meld(takers[0], answers[takers[0]], kind)
        elif self.live() <= 0:
            self.finish()  # §13
        else:
            self.turn = (self.turn + 1) % 4
            self.due = "draw"

    def make_added_kong(self, kind: int) -> None:
        """Nobody has robbed the kong: the pong becomes one, in its place (§7)."""
        melds = self.melds[self.turn]
        place = next(i for i, meld in enumerate(melds) if meld[0] == "pong" and meld[1] == kind)
        take(self.hands[self.turn], [kind])
        melds[place] = ("added_kong", *melds[place][1:])
        self.await_replacement(claimed=False)

    def make_claimed_meld(self, claimer: int, action: int, kind: int) -> None:
        """A discard is claimed: it leaves the discards and joins the meld, and the claimer's turn begins (§10)."""
        giver = self.turn
        take(self.hands[claimer], self.from_hand(action, kind))
        self.discards[-1] = (kind, giver, claimer)
        if action in CHOWS:
            self.melds[claimer].append(("chow", kind - CHOWS[action], kind, giver))
        else:
            self.melds[claimer].append(("pong" if action == PONG else "kong", kind, kind, giver))
        self.turn, self.began, self.undisturbed = claimer, "claim", False
        self.banned = self.bans(action, kind)
        if action == KONG:
            self.await_replacement(claimed=True)

    def finish(self) -> None:
        """The hand is over: nothing is offered any more."""
        self.ended = True
        self.phase, self.offer, self.options, self.answers, self.due = "turn", None, {}, {}, None

    # Tai and payment

    def wind(self, seat: int) -> int:
        """The seat's wind (§3)."""
        return (seat - self.p.dealer) % 4

    def score_with(self, seat: int, hand: "Counter[int]", win: int, by: str, flags: set[str]) -> Any:
        """`score` with the parameters of this game."""
        params = {name: value for name, value in asdict(self.p).items() if name != "round_wind"}
        return score(hand, win, by, self.melds[seat], self.wind(seat), self.p.round_wind, flags, **params)

    def score_self_draw(self) -> tuple[dict[str, int], int, set[int]]:
        """Items, tai and waits if the seat in turn wins now (§14)."""
        seat = self.turn
        flags = set()
        if self.began == "replacement":
            flags.add("kong_draw")
        if self.began != "deal" and self.live() <= 0:
            flags.add("last_draw")
        if self.began == "deal" and not self.discards and self.undisturbed:
            flags.add("heavenly")
        if seat != self.p.dealer and self.began == "draw" and self.drawn[seat] == 1 and self.undisturbed:
            flags.add("earthly")
        win = self.last_drawn if self.last_drawn is not None else min(self.hands[seat])
        return self.score_with(seat, self.hands[seat], win, "self", flags)

    def score_on_offer(self, seat: int) -> tuple[dict[str, int], int, set[int]]:
        """Items, tai and waits if a seat wins on the tile that is offered (§14)."""
        assert self.offer is not None
        flags = set()
        if self.phase == "claim" and self.live() <= 0:
            flags.add("last_discard")
        if self.phase == "claim" and seat != self.p.dealer and self.drawn[seat] == 0 and self.undisturbed:
            flags.add("human")
        by = "discard" if self.phase == "claim" else "rob"
        return self.score_with(seat, self.hands[seat] + Counter([self.offer]), self.offer, by, flags)

    def winners(self) -> list[int]:
        """The seats that have won, from the one after the payer on."""
        return list(self.results)

    def payer(self) -> int | None:
        """Who pays alone; None after a self-draw and when nobody has won."""
        return self.paid_by

    def items(self, seat: int) -> dict[str, int]:
        """What a winner's tai are for, by the names of §14."""
        return dict(self.results[seat][0])

    def tai(self, seat: int) -> int:
        """A winner's tai, the dealer's not counted (§14)."""
        return self.results[seat][1]

    def waits(self, seat: int) -> set[int]:
        """The kinds that would have completed a winner's hand (§14)."""
        return set(self.results[seat][2])

    def returns(self) -> list[float]:
        """The points won and lost (§17, after a forfeit §20); 0 before the end."""
        points = [0, 0, 0, 0]
        if self.offender is not None:
            return [float(-3 * self.p.base if seat == self.offender else self.p.base) for seat in range(4)]
        for winner in self.results:
            payers = [seat for seat in range(4) if seat != winner] if self.paid_by is None else [self.paid_by]
            for payer in payers:
                extra = 1 + 2 * self.p.streak if self.p.dealer_tai and self.p.dealer in (payer, winner) else 0
                amount = self.p.base + self.p.fan * (self.tai(winner) + extra)
                points[payer] -= amount
                points[winner] += amount
        return [float(point) for point in points]

    def name(self, action: int) -> str:
        """An action's name (§21); a chow's is that of the meld with the tile that is offered now."""
        if action < 34:
            return tile(action)
        if action < 68:
            return f"kong {tile(action - 34)}"
        if action in CHOWS:
            assert self.offer is not None
            kinds = chow(self.offer - CHOWS[action])
            return f"chow {''.join(tile(kind)[0] for kind in kinds)}{tile(kinds[0])[1]}"
        return {WIN: "win", PONG: "pong", KONG: "kong", PASS: "pass"}[action]

    # Observations

    def sees(self, seat: int, owner: int, meld: Meld) -> bool:
        """Whether a seat sees the kind of somebody's meld (§18)."""
        return seat == owner or meld[0] != "concealed_kong" or not self.p.hide_concealed_kong

    def seen_in_melds(self, seat: int, owner: int) -> "Counter[int]":
        """The copies in somebody's melds, as far as a seat sees them."""
        seen: Counter[int] = Counter()
        for meld in self.melds[owner]:
            if self.sees(seat, owner, meld):
                seen.update(tiles_of_meld(meld))
        return seen

    def hidden_kongs(self, seat: int, owner: int) -> int:
        """How many melds of somebody a seat sees only as hidden kongs."""
        return sum(not self.sees(seat, owner, meld) for meld in self.melds[owner])

    def lying(self, owner: int) -> "Counter[int]":
        """Somebody's discards without claimed ones."""
        return Counter(kind for kind, seat, claimer in self.discards if seat == owner and claimer is None)

    def unseen(self, seat: int) -> "Counter[int]":
        """The copies that a seat does not see (last paragraph)."""
        unseen = Counter(dict.fromkeys(KINDS, 4))
        unseen.subtract(self.hands[seat])
        for owner in range(4):
            unseen.subtract(self.seen_in_melds(seat, owner))
            unseen.subtract(self.lying(owner))
        if self.phase == "rob" and self.offer is not None and self.turn != seat:
            unseen.subtract([self.offer])
        return unseen

    def around(self, seat: int) -> list[int]:
        """The seats as one of them sees them: mine, next, opposite, previous."""
        return [(seat + step) % 4 for step in range(4)]

    def observation(self, seat: int, encoder: str) -> Planes:
        """What a seat sees, as one of the encoders gives it: [plane][row][column]."""
        if encoder == "planes":
            return self.observe_planes(seat)
        numbers = self.observe_matrix(seat)
        if encoder == "matrix19_extended":
            numbers += self.observe_extension(seat)
        elif encoder != "matrix19":
            raise AssertionError("no such encoder")
        numbers += [0.0] * (361 - len(numbers))
        return [[numbers[19 * r : 19 * r + 19] for r in range(19)]]

    def observe_matrix19(self, seat: int) -> Planes:
        """The encoder `matrix19`."""
        return self.observation(seat, "matrix19")

    def observe_matrix19_extended(self, seat: int) -> Planes:
        """The encoder `matrix19_extended`."""
        return self.observation(seat, "matrix19_extended")

    def observe_planes(self, seat: int) -> Planes:
        """The encoder `planes`."""

        def by_kind(values: "dict[int, float] | Counter[int]", scale: int) -> list[list[float]]:
            return [[values.get(9 * r + c, 0) / scale if 9 * r + c < 34 else 0.0 for c in range(9)] for r in range(4)]

        def everywhere(value: float) -> list[list[float]]:
            return [[float(value)] * 9 for _ in range(4)]

        def one(kind: int | None) -> list[list[float]]:
            return by_kind({} if kind is None else {kind: 1.0}, 1)

        seats = self.around(seat)
        hand = self.hands[seat]
        planes = [by_kind({kind: 1.0 for kind in hand if hand[kind] >= n}, 1) for n in (1, 2, 3, 4)]  # 0 to 3
        planes += [by_kind(self.seen_in_melds(seat, owner), 4) for owner in seats]  # 4 to 7
        planes += [by_kind(self.lying(owner), 4) for owner in seats]  # 8 to 11
        for owner in seats:  # 12 to 15
            own = [discard for discard in self.discards if discard[1] == owner]
            planes.append(one(own[-1][0] if own and own[-1][2] is None else None))
        planes.append(by_kind(self.unseen(seat), 4))  # 16
        planes.append(one(self.offer))  # 17
        planes.append(one(self.last_drawn if self.turn == seat else None))  # 18
        planes.append(one(27 + self.wind(seat)))  # 19
        planes.append(one(27 + self.p.round_wind))  # 20
        planes += [everywhere(self.phase == "claim"), everywhere(self.phase == "rob")]  # 21, 22
        planes.append(everywhere(self.live() / 71))  # 23
        planes.append(everywhere(min(self.p.streak / 4, 1)))  # 24
        planes += [everywhere(self.hidden_kongs(seat, owner) / 5) for owner in seats[1:]]  # 25 to 27
        return planes

    def observe_matrix(self, seat: int) -> list[float]:
        """The entries 0 to 307 of `matrix19` and `matrix19_extended`."""
        seats = self.around(seat)
        numbers = [self.hands[seat][kind] / 4 for kind in KINDS]
        for owner in seats:
            seen = self.seen_in_melds(seat, owner)
            numbers += [seen[kind] / 4 for kind in KINDS]
        for owner in seats:
            lying = self.lying(owner)
            numbers += [lying[kind] / 4 for kind in KINDS]
        return [*numbers, min(len(self.discards) // 4 / 19, 1.0), min(self.live() / 55, 1.0)]

    def observe_extension(self, seat: int) -> list[float]:
        """The entries 308 to 360 of `matrix19_extended`."""
        seats = self.around(seat)
        unseen = self.unseen(seat)
        numbers = [float(self.wind(seat) == wind) for wind in range(4)]
        numbers += [float(self.p.round_wind == wind) for wind in range(4)]
        numbers += [float(self.p.dealer == owner) for owner in seats]
        numbers.append(min(self.p.streak / 4, 1.0))
        numbers += [unseen[kind] / 4 for kind in KINDS]
        numbers += [self.hidden_kongs(seat, owner) / 5 for owner in seats[1:]]
        return numbers + [sum(self.hands[owner].values()) / 17 for owner in seats[1:]]

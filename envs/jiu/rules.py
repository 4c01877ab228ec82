"""The rules of Tibetan Jiu chess as kernels over one record; § numbers refer to RULES.md."""

import numpy as np

from ..engine.protocol import CUT, OVER
from ..engine.rng import GOLDEN, below, choose, hash64, kernel
from ..grid.board import hash_all, pay_winner, side
from ..grid.dihedral import images as board_images
from ..grid.dihedral import in_blocks, turned_steps, with_kept
from ..grid.directions import NEXT
from ..grid.rays import neighbour
from ..grid.repetition import forget_turns, hash_turns, note_turn, occurrences
from .constants import (
    ANY,
    BOTH,
    DROP,
    FEWEST,
    FLYER,
    JUMP,
    LAYOUT,
    MOVE,
    OFF,
    PICK,
    PUT,
    STOP,
    STRONGER,
    TAKE,
    TAKE_OFF,
    TURN,
)
from .shapes import has_gate, two_dalians
from .state import blank, lift_stone, put_stone, squares_at, state_dtype

__all__ = [
    "blank", "key", "legal", "playout", "reset", "returns", "state_dtype", "step", "symmetries",
]  # fmt: skip

THROWS = 64  # before all actions are marked


@kernel
def reset(s, rng):
    """§2: seat 0 begins on an empty board."""
    s.winner = s.start = s.runner = s.latest[0] = s.latest[1] = -1


@kernel
def ends(n):
    """§2: the ends of the marked diagonal."""
    upper = (n // 2 - 1) * (n + 1)
    return upper, upper + n + 1


@kernel
def flies(s, seat):
    """§11: whether a side has few enough stones to fly, at the beginning of the turn in progress."""
    stones = s.stones[seat] + (s.taken if s.to_move == 1 - seat else 0)
    return stones < side(s) + (s.flying == 0)


@kernel
def bans_single_jumps(s, seat):
    """§12: whether `seat`, whose turn begins, may not take by a single jump."""
    ban = s.single_jump_ban
    if flies(s, seat):
        return ban in (FLYER, BOTH)
    return ban in (STRONGER, BOTH) and flies(s, 1 - seat)


@kernel
def landing(s, p, d):
    """§6, §7: find where the stone on `p` lands if it jumps in a direction; -1 if it cannot."""
    b, n = s.board, side(s)
    over = neighbour(n, p, d)
    if over < 0 or b[over] == 0 or b[over] == b[p]:
        return -1
    to = neighbour(n, over, d)
    return to if to >= 0 and b[to] == 0 and s.been[to] == 0 else -1


@kernel
def can_jump(s, p):
    """Whether the stone on `p` can jump."""
    for d in range(4):
        if landing(s, p, d) >= 0:
            return True
    return False


@kernel
def can_begin_jump(s, p, d):
    """§12: whether the stone on `p` may begin its turn with a jump in a direction."""
    to = landing(s, p, d)
    if to < 0 or s.least == 1:
        return to >= 0
    b, over = s.board, neighbour(side(s), p, d)
    stone, taken = b[p], b[over]
    b[p] = b[over] = 0
    b[to] = stone
    good = can_jump(s, to)
    b[p], b[over], b[to] = stone, taken, 0
    return good


@kernel
def can_move(s, p, d):
    """§5, §6: whether the stone on `p` may step or begin to jump in a direction."""
    q = neighbour(side(s), p, d)
    return q >= 0 and ((s.board[q] == 0 and not flies(s, s.to_move)) or can_begin_jump(s, p, d))


@kernel
def can_act(s):
    """§15: whether the seat to move has anything to do."""
    if flies(s, s.to_move):
        return True
    for p in range(s.board.size):
        if s.board[p] == s.to_move + 1:
            for d in range(4):
                if can_move(s, p, d):
                    return True
    return False


@kernel
def legal(s, mask):
    """§19: the actions of the phase."""
    mask[:] = 0
    b, points = s.board, s.board.size
    if s.to_move < 0:
        return 0
    if s.phase == LAYOUT and s.ply < 2:
        return mark_ends(s, mask)
    if s.phase == LAYOUT:
        return mark_points(b, np.int64(0), mask[:points])
    if s.phase == DROP:
        return mark_points(b, np.int64(0), mask[PUT * points : TAKE_OFF * points])
    if s.phase == TAKE:
        mask[STOP * points] = not s.must_take
        return mark_points(b, 2 - np.int64(s.to_move), mask[TAKE_OFF * points : STOP * points]) + mask[STOP * points]
    if s.phase == JUMP:
        return mark_jumps(s, mask)
    return mark_turn(s, mask)


@kernel
def mark_ends(s, mask):
    """§2: mark the empty ends of the diagonal."""
    upper, lower = ends(side(s))
    mask[upper], mask[lower] = s.board[upper] == 0, s.board[lower] == 0
    return mask[upper] + mask[lower]


@kernel
def mark_points(b, stone, plane):
    """Mark the points that hold `stone`; return how many."""
    count = np.int64(0)
    for p in range(b.size):
        plane[p] = b[p] == stone
        count += b[p] == stone
    return count


@kernel
def mark_jumps(s, mask):
    """§7: mark the jumps that the runner has, and whether it may stop."""
    points, count = s.board.size, np.int64(0)
    for d in range(4):
        if landing(s, s.runner, d) >= 0:
            mask[(MOVE + d) * points + s.runner] = 1
            count += 1
    mask[STOP * points] = s.jumps >= s.least
    return count + mask[STOP * points]


@kernel
def mark_turn(s, mask):
    """§5, §6, §11: mark steps or, for a side that flies, stones to lift, and jumps."""
    b, points, me = s.board, s.board.size, np.int64(s.to_move) + 1
    flying = flies(s, s.to_move)
    count = mark_points(b, me, mask[PICK * points : PUT * points]) if flying else np.int64(0)
    moves = mark_moves(s, me, not flying, mask)
    if s.least > 1 and moves > 0:
        for a in range(MOVE * points, PICK * points):
            if mask[a] and not can_move(s, a % points, a // points - MOVE):
                mask[a] = 0
                moves -= 1
    return count + moves


@kernel
def mark_moves(s, me, steps, mask):
    """Mark the jumps and, with `steps`, the steps of all stones; return how many.

    The board is compared with itself one and two points further: whole rows at once, which compilers make fast. Near
    the edges there is no room to jump.
    """
    b, n, points = s.board, side(s), s.board.size
    up, down = mask[MOVE * points : (MOVE + 1) * points], mask[(MOVE + 1) * points : (MOVE + 2) * points]
    mark_run(b[2 * n :], b[n : points - n], b[: points - 2 * n], me, steps, up[2 * n :])
    mark_run(b[: points - 2 * n], b[n : points - n], b[2 * n :], me, steps, down)
    left, right = mask[(MOVE + 2) * points : (MOVE + 3) * points], mask[(MOVE + 3) * points : PICK * points]
    mark_run(b[2:], b[1 : points - 1], b[: points - 2], me, steps, left[2:])
    mark_run(b[: points - 2], b[1 : points - 1], b[2:], me, steps, right)
    last = points - n
    for i in range(n):
        up[n + i] = steps and b[n + i] == me and b[i] == 0
        down[last - n + i] = steps and b[last - n + i] == me and b[last + i] == 0
        p = i * n
        left[p], left[p + 1] = 0, steps and b[p + 1] == me and b[p] == 0
        p += n - 1
        right[p], right[p - 1] = 0, steps and b[p - 1] == me and b[p] == 0
    count = np.int64(0)
    for i in range(MOVE * points, PICK * points):
        count += mask[i]
    return count


@kernel
def mark_run(near, over, far, me, steps, out):
    """Mark where a stone of `me` stands, and the next point is empty or another's with an empty one behind."""
    for i in range(near.size):
        out[i] = (near[i] == me) & ((steps & (over[i] == 0)) | ((over[i] == 3 - me) & (far[i] == 0)))


@kernel
def step(s, a):
    """§2, §4: put a stone, or do a part of a turn."""
    s.ply += 1
    points = s.board.size
    plane, p, seat = a // points, a % points, np.int64(s.to_move)
    if s.phase == LAYOUT:
        put_stone(s, p, seat)
        s.latest[seat] = p
        s.to_move = 1 - seat
        if s.ply == points:
            end_layout(s)
    elif plane == STOP:
        if s.phase == JUMP:
            land(s, np.int64(s.runner))
        else:
            end_turn(s)
    elif plane == TAKE_OFF:
        s.due -= 1
        take_stone(s, p)
        if s.to_move >= 0 and s.due == 0:
            end_turn(s)
    elif plane == PICK:
        s.runner, s.phase = p, DROP
    elif plane == PUT:
        shift_stone(s, np.int64(s.runner), p)
        land(s, p)
    else:
        move(s, p, plane - MOVE)


@kernel
def end_layout(s):
    """§3: open the board; §18: or count squares."""
    if s.layout_only:
        finish(s, -1 if s.squares[0] == s.squares[1] else np.int64(s.squares[1] > s.squares[0]))
        return
    for p in ends(side(s)):
        lift_stone(s, p, s.board[p] - 1)
    begin_turn(s, 1)


@kernel
def move(s, p, d):
    """§5 to §7: step, or jump and go on jumping where that is possible."""
    q = neighbour(side(s), p, d)
    if s.board[q] == 0:
        shift_stone(s, p, q)
        land(s, q)
        return
    to = neighbour(side(s), q, d)
    if not s.revisit:
        s.been[p] = s.been[to] = 1
    shift_stone(s, p, to)
    s.jumps += 1
    seat = np.int64(s.to_move)
    take_stone(s, q)
    if s.to_move < 0:
        s.latest[seat] = to
    else:
        s.runner, s.phase = to, JUMP
        if not can_jump(s, to):
            land(s, to)


@kernel
def shift_stone(s, p, q):
    """Move a stone of the seat to move; where it first stood is remembered for the turn."""
    seat = np.int64(s.to_move)
    if s.start < 0:
        s.start = p
    lift_stone(s, p, seat)
    put_stone(s, q, seat)


@kernel
def take_stone(s, p):
    """Take a stone of the other side; §13: with too few left it has lost."""
    lift_stone(s, p, 1 - np.int64(s.to_move))
    s.taken += 1
    if s.stones[1 - s.to_move] < FEWEST:
        finish(s, np.int64(s.to_move))


@kernel
def land(s, p):
    """§10: the move ends on `p`; what it has earned is taken, as far as the other side has stones."""
    seat = np.int64(s.to_move)
    s.latest[seat], s.runner = p, -1
    s.due = min(earned(s, p, seat), np.int64(s.stones[1 - seat]))
    if s.due > 0:
        s.phase = TAKE
    else:
        end_turn(s)


@kernel
def earned(s, p, seat):
    """§8, §9: count the stones that a move of `seat` to point `p` has earned."""
    n = side(s)
    due = squares_at(s, p, seat + 1)
    if s.gun:
        due += 2 * ((s.rows[seat, p // n] == n) + np.int64(s.columns[seat, p % n] == n))
    return due


@kernel
def end_turn(s):
    """§14, §16: what may end the game after a turn; otherwise the other seat's begins."""
    seat = np.int64(s.to_move)
    s.turns += 1
    if s.taken > 0:
        forget_turns(s)
    else:
        note_turn(s, s.start, s.latest[seat])
    settle_turn(s)
    if wins_by_dalians(s, seat):
        finish(s, seat)
    elif wins_by_dalians(s, 1 - seat):
        finish(s, 1 - seat)
    elif s.quiet == s.no_capture_limit > 0:
        finish(s, np.int64(-1))
    elif s.turns == s.max_turns:
        s.to_move = CUT
    else:
        begin_turn(s, 1 - seat)


@kernel
def settle_turn(s):
    """Forget the turn in progress."""
    if s.phase != LAYOUT:
        s.phase = TURN
    s.start = s.runner = -1
    s.jumps = s.taken = s.due = s.least = s.seen = 0
    if not s.revisit:
        s.been[:] = 0


@kernel
def finish(s, winner):
    """End the game; -1: nobody has won."""
    settle_turn(s)
    s.winner, s.drawn, s.to_move = winner, winner < 0, OVER


@kernel
def begin_turn(s, seat):
    """§15, §16: whether `seat` can act, and how often this position has occurred before a turn."""
    s.to_move, s.phase = seat, TURN
    s.least = 2 if bans_single_jumps(s, seat) else 1
    s.seen = occurrences(s)
    if not can_act(s):
        finish(s, 1 - seat)
    elif s.seen == s.repetition > 1:
        finish(s, np.int64(-1))


@kernel
def wins_by_dalians(s, seat):
    """§14: whether a side has two dalians and the other no square."""
    if s.dalian_win == OFF or s.squares[1 - seat] > 0 or s.squares[seat] < 1:
        return False
    if not two_dalians(s, seat, s.dalian_win == ANY):
        return False
    return s.dalian_gates or not has_gate(s, 1 - seat, flies(s, 1 - seat))


@kernel
def returns(s, r):
    """§17: +1 to the winner, -1 to the other; 0 for both in a draw."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the stones, the turn in progress, and what draws depend on."""
    h = np.uint64(np.int64(s.to_move) + 4 + 8 * (np.int64(s.phase) + 8 * np.int64(s.due))) * GOLDEN
    h = hash64(hash_all(h, s.board, 0))
    h = hash_all(h, s.been, 0) ^ np.uint64(np.int64(s.runner) + 1)
    h = hash64(h) ^ np.uint64(np.int64(s.jumps) + 1024 * (np.int64(s.taken) + 1024 * (np.int64(s.start) + 1)))
    h = hash64(h) ^ np.uint64(np.int64(s.turns) + (np.int64(s.quiet) << 32))
    h = hash64(h) ^ np.uint64(np.int64(s.latest[0]) + 1 + 1024 * (np.int64(s.latest[1]) + 1))
    return hash64(hash_turns(h, s))


@kernel
def playout(s, rng, mask, p):
    """Play at random to the end; throwing until an action is allowed is usually cheaper than marking all."""
    while s.to_move >= 0:
        step(s, random_action(s, rng, mask))


@kernel
def random_action(s, rng, mask):
    """Draw an allowed action, all equally likely."""
    points = s.board.size
    if s.phase != JUMP and s.ply > 1 and not (s.phase == TURN and flies(s, s.to_move)):
        first, planes = MOVE, 4
        if s.phase == LAYOUT:
            first, planes = 0, 1
        elif s.phase == DROP:
            first, planes = PUT, 1
        elif s.phase == TAKE:
            first, planes = TAKE_OFF, 1
        if s.phase != TAKE or s.must_take:
            for _ in range(THROWS):
                a = first * points + below(rng, planes * points)
                if allows(s, a):
                    return a
    legal(s, mask)
    return choose(mask, rng)


@kernel
def allows(s, a):
    """Whether an action of the phase's planes is allowed."""
    points = s.board.size
    plane, p = a // points, a % points
    if plane == 0 or plane == PUT:
        return s.board[p] == 0
    if plane == TAKE_OFF:
        return s.board[p] == 2 - s.to_move
    if s.board[p] != s.to_move + 1:
        return False
    return can_move(s, p, plane - MOVE)


IMAGES = {"game": [0, 2, 4, 6], "board": list(range(8)), "printed": [0, 6]}
"""Sets of the board's images, by their places in `images`: those that keep the whole game as it is; all, in which the
layout is the same except for its first two stones; the one that S3 (docs/deviations.md) prints, a quarter turn
anticlockwise, then mirrored from left to right, along with the original.
"""


def symmetries(board_size: int, **_: object) -> np.ndarray:
    """Return the action permutations that keep the whole game as it is, (4, actions): see `images`."""
    return images(board_size)[IMAGES["game"]]


def images(board_size: int, **_: object) -> np.ndarray:
    """Return the action permutations of the board's images, (8, actions): four turns, and four of its transpose.

    The battle is the same in all of them, the layout in the even-numbered ones, which keep the marked diagonal.
    """
    tables = []
    for image in board_images(board_size):
        planes = np.arange(STOP)
        planes[MOVE:PICK] = MOVE + np.array(turned_steps(image, board_size, NEXT))
        tables.append(in_blocks(planes, image))
    return with_kept(np.stack(tables), 1)

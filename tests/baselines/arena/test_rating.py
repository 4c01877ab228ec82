"""Ratings against cases worked out by hand, with the formula of the model and nothing else."""

import math

import pytest

from boyi.baselines.arena.rating import Estimate, difference, rate, rate_against, student, wilson
from boyi.baselines.arena.results import duration, elo_interval, elo_value
from boyi.envs.engine.errors import BoyiError


def elo(share):
    """Return the difference at which the model expects a share of the points."""
    return 400 * math.log10(share / (1 - share))


def test_three_quarters_are_190_8_points():
    zero, other = rate([[0, 15], [5, 0]])
    assert zero == (0, 0, 0)
    assert other.value == pytest.approx(-190.848, abs=0.01)


def test_equals_are_equal_whatever_the_number_of_games():
    for games in (1, 10, 500):
        assert rate([[0, games], [games, 0]])[1].value == pytest.approx(0, abs=0.01)


def test_a_consistent_table_is_transitive():
    """Two steps of 3 to 1 make 9 to 1, and the fit of such a table is exact."""
    ratings = rate([[0, 30, 36], [10, 0, 30], [4, 10, 0]])
    assert [r.value for r in ratings] == pytest.approx([0, -elo(0.75), -elo(0.9)], abs=0.01)


def test_a_chain_of_pairings_adds_up():
    """Players 0 and 2 never met."""
    ratings = rate([[0, 30, 0], [10, 0, 20], [0, 10, 0]])
    assert ratings[2].value == pytest.approx(-elo(3 / 4) - elo(2 / 3), abs=0.05)


@pytest.mark.parametrize(("wins", "losses"), [(15, 5), (6, 4), (99, 1), (1, 19)])
def test_interval_is_where_the_likelihood_ratio_meets_the_quantile(wins, losses):
    rating = rate([[0, losses], [wins, 0]])[1]

    def loss(difference):
        return wins * math.log1p(10 ** (-difference / 400)) + losses * math.log1p(10 ** (difference / 400))

    assert rating.low < rating.value < rating.high
    for end in (rating.low, rating.high):
        assert 2 * (loss(end) - loss(rating.value)) == pytest.approx(3.8415, abs=0.002)


def test_interval_lets_the_others_adjust():
    """Two steps of 15 to 5, in a chain: at its ends the interval of their sum shares the strain between both."""
    rating = rate([[0, 5, 0], [15, 0, 5], [0, 15, 0]])[2]

    def loss(difference):
        return 15 * math.log1p(10 ** (-difference / 400)) + 5 * math.log1p(10 ** (difference / 400))

    for end in (rating.low, rating.high):
        assert 2 * 2 * (loss(end / 2) - loss(elo(0.75))) == pytest.approx(3.8415, abs=0.002)


def test_interval_holds_the_truth_95_times_in_100():
    p = [math.comb(60, wins) * 0.7**wins * 0.3 ** (60 - wins) for wins in range(61)]
    ratings = {wins: rate([[0, 60 - wins], [wins, 0]])[1] for wins in range(25, 58)}
    held = sum(p[wins] for wins, rating in ratings.items() if rating.low <= elo(0.7) <= rating.high)
    assert 0.93 <= held <= 0.97


def test_who_won_every_game_gets_a_finite_estimate_and_a_one_sided_interval():
    rating = rate([[0, 0], [20, 0]])[1]
    assert rating.value == pytest.approx(elo(20.5 / 21), abs=0.1)  # one virtual draw
    assert rating.high == math.inf
    assert rating.low == pytest.approx(elo(math.exp(-3.8415 / 2 / 20)), abs=0.1)  # 20 ln p is all there is
    assert elo_value(rating) == "> +399"
    assert elo_interval(rating) == "+399 to +∞"


def test_who_lost_every_game_mirrors_who_won_them():
    won, lost = rate([[0, 0], [20, 0]])[1], rate([[0, 20], [0, 0]])[1]
    assert (lost.value, lost.low, lost.high) == pytest.approx((-won.value, -won.high, -won.low), abs=0.01)
    assert elo_value(lost) == "< -399"


def test_players_without_a_common_measure_are_unknown():
    """Both beat a third in every game and never met: neither can be put above the other."""
    rating = rate([[0, 0, 20], [0, 0, 20], [0, 0, 0]])[1]
    assert (rating.low, rating.high) == (-math.inf, math.inf)
    assert elo_value(rating) == "unknown"


def test_more_wins_never_lower_the_estimate():
    values = [rate([[0, 20 - wins], [wins, 0]])[1].value for wins in range(21)]
    assert values == sorted(values)
    assert len(set(values)) == 21


@pytest.mark.parametrize("wins", [[[0]], [[0, 1]], [[0, -1], [1, 0]], [[1, 0], [0, 0]], [1, 2]])
def test_a_table_that_is_none_is_refused(wins):
    with pytest.raises(BoyiError, match="square table"):
        rate(wins)


@pytest.mark.parametrize(
    ("ratings", "wins", "losses"),
    [
        ([0, 300, 600], [20, 12, 3], [0, 8, 17]),
        ([-150, 40, 41, 900], [9.5, 30, 1, 0], [0.5, 10, 5, 60]),
        ([0, 500], [40, 0], [0, 40]),
        ([0, 250, 500], [30, 30, 29.5], [0, 0, 0.5]),
    ],
)
def test_among_known_ratings_the_likeliest_of_a_grid_is_found(ratings, wins, losses):
    """Every half point of Elo is tried: the best is the estimate, the first and last not rejected are the interval."""

    def loss(elo):
        return sum(
            w * math.log1p(10 ** ((r - elo) / 400)) + n * math.log1p(10 ** ((elo - r) / 400))
            for r, w, n in zip(ratings, wins, losses, strict=True)
        )

    found = {half / 2: loss(half / 2) for half in range(-3000, 6000)}
    best = min(found, key=found.get)
    held = [elo for elo, at in found.items() if 2 * (at - found[best]) <= 3.8415]
    assert rate_against(ratings, wins, losses) == pytest.approx((best, held[0], held[-1]), abs=0.6)


def test_one_known_rating_is_a_shifted_zero():
    by_two = rate([[0, 5], [15, 0]])[1]
    assert rate_against([1000], [15], [5]) == pytest.approx([1000 + end for end in by_two], abs=0.01)
    won, lost = rate([[0, 0], [20, 0]])[1], rate([[0, 20], [0, 0]])[1]
    assert rate_against([-70], [20], [0]) == pytest.approx([-70 + end for end in won], abs=0.01)
    assert rate_against([-70], [0], [20]) == pytest.approx([-70 + end for end in lost], abs=0.01)


def test_who_beat_all_known_players_is_estimated_by_the_strongest_it_met():
    """One virtual draw with that one, for the estimate alone: the expected points are then those that were made."""
    won = rate_against([0, 300, 800], [20, 20, 0], [0, 0, 0])
    lost = rate_against([0, 300, -800], [0, 0, 0], [20, 20, 0])
    p, q = (1 / (1 + 10 ** ((r - won.value) / 400)) for r in (0, 300))
    assert 20 * p + 21 * q == pytest.approx(40.5, abs=0.001)
    p, q = (1 / (1 + 10 ** ((r - won.low) / 400)) for r in (0, 300))
    assert 2 * 20 * -math.log(p * q) == pytest.approx(3.8415, abs=0.002)
    assert won.high == math.inf
    assert lost == pytest.approx((300 - won.value, -math.inf, 300 - won.low), abs=0.05)


@pytest.mark.parametrize(
    ("ratings", "wins", "losses", "sentence"),
    [
        ([0, 1], [1], [1], "equal length"),
        ([0], [-1], [1], "not negative"),
        ([[0]], [[1]], [[1]], "rows"),
        ([0, 1], [0, 0], [0, 0], "without a game"),
    ],
)
def test_games_that_are_none_among_known_players_are_refused(ratings, wins, losses, sentence):
    with pytest.raises(BoyiError, match=sentence):
        rate_against(ratings, wins, losses)


def test_a_difference_has_the_arms_of_both():
    """3 below one and 4 above the other make 5."""
    assert difference(Estimate(100, 97, 112), Estimate(60, 55, 64)) == pytest.approx((40, 35, 53))
    assert difference(Estimate(9, 8, math.inf), Estimate(5, 4, 6)) == (4, 4 - math.sqrt(2), math.inf)
    assert difference(Estimate(5, 4, 6), Estimate(9, 8, math.inf)) == (-4, -math.inf, -4 + math.sqrt(2))


def test_student_by_hand():
    """Of 1, 2 and 3 the deviation is 1, and 4.3027 the quantile of two degrees of freedom."""
    reach = 4.3027 / math.sqrt(3)
    assert student([1, 2, 3]) == pytest.approx((2, 2 - reach, 2 + reach), abs=1e-4)
    assert student([7]) == (7, -math.inf, math.inf)


def test_wilson_by_hand():
    assert wilson(0.5, 10) == pytest.approx((0.5, 0.23659, 0.76341), abs=1e-4)
    assert wilson(1.0, 20) == pytest.approx((1.0, 0.83887, 1.0), abs=1e-4)
    assert wilson(0.0, 20).low == 0.0


def test_words_for_numbers():
    assert elo_value(rate([[0, 5], [15, 0]])[1]) == "+191"
    assert elo_interval(rate([[0, 5], [15, 0]])[1]) == "+26 to +386"
    assert (elo_value(rate([[0, 5], [15, 0]])[0]), elo_interval(rate([[0, 5], [15, 0]])[0])) == ("0", "")
    assert [duration(seconds) for seconds in (2.5, 0.9996, 0.0123, 9.999e-4, 4.2e-6)] == [
        "2.5 s",
        "1 s",
        "12.3 ms",
        "1 ms",
        "4.2 µs",
    ]

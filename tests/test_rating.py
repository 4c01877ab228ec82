"""Ratings against cases worked out by hand, with the formula of the model and nothing else."""

import math

import pytest

from boyi.baselines.rating import rate, wilson
from boyi.baselines.result import duration, elo_interval, elo_value
from boyi.envs.errors import BoyiError


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

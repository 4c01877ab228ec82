"""The kernels of `lookahead`: what follows many positions at once."""

from ...envs.engine.protocol import CHANCE, OVER, chance, legal, resolve, returns, step


def count_rows(states, going, mask, p, counts):
    """Count what follows each position that is `going`; 1 for the others, which stay."""
    for i in range(states.shape[0]):
        s = states[i]
        counts[i] = 1
        if going[i] and s.to_move == CHANCE:
            counts[i] = 0
            for o in range(chance(s, p)):
                counts[i] += p[o] > 0.0
        elif going[i]:
            counts[i] = legal(s, mask)


def follow_rows(states, going, mask, p, out, before, label, weight):
    """Write to `out` what follows each position that is `going`; also where it comes from, by what, how probably."""
    j = 0
    for i in range(states.shape[0]):
        s = states[i]
        if not going[i]:
            out[j], before[j] = s, i
            j += 1
        elif s.to_move == CHANCE:
            for o in range(chance(s, p)):
                if p[o] > 0.0:
                    out[j], before[j], label[j], weight[j] = s, i, o, p[o]
                    resolve(out[j], o)
                    j += 1
        else:
            legal(s, mask)
            for a in range(mask.shape[0]):
                if mask[a]:
                    out[j], before[j], label[j] = s, i, a
                    step(out[j], a)
                    j += 1


def result_rows(states, r, values):
    """Write seat 0's return in every game that has ended."""
    for i in range(states.shape[0]):
        if states[i].to_move <= OVER:
            returns(states[i], r)
            values[i] = r[0]

"""Golden numbers of common/random_test.cpp, by an implementation of its own. Plain Python, no package.

Philox4x32-10 is written from Salmon et al. 2011, section 4.3; the three known answers at the end are those that its
authors publish with Random123.
"""

import math

MASK = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF


def philox(counter, key):
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(10):
        a, b = 0xD2511F53 * x0, 0xCD9E8D57 * x2
        x0, x1, x2, x3 = (b >> 32) ^ x1 ^ k0, b & MASK, (a >> 32) ^ x3 ^ k1, a & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return x0, x1, x2, x3


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def fnv1a(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK64
    return value


class Stream:
    def __init__(self, parent, *names, update=0, shard=0):
        for name in names:
            parent = splitmix64(splitmix64(parent) ^ fnv1a(name))
        self.key, self.update, self.shard = parent, update, shard

    def block(self, index):
        counter = index & MASK, index >> 32, self.update, self.shard
        return philox(counter, (self.key & MASK, self.key >> 32))

    def bits(self, element):
        return self.block(element // 4)[element % 4]

    def normal(self, element):
        w = self.block(element)
        radius = (((w[1] << 32 | w[0]) >> 11) + 1) / 2**53
        angle = ((w[3] << 32 | w[2]) >> 11) / 2**53
        return math.sqrt(-2 * math.log(radius)) * math.cos(2 * math.pi * angle)

    def below(self, bound, element):
        w = self.block(element)
        return ((w[1] << 32 | w[0]) * bound) >> 64

    def shuffle(self, values):
        for i in range(len(values), 1, -1):
            j = self.below(i, i)
            values[i - 1], values[j] = values[j], values[i - 1]
        return values


def main():
    for counter, key in (
        ((0,) * 4, (0,) * 2),
        ((MASK,) * 4, (MASK,) * 2),
        ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0)),
    ):
        print("philox", *(f"{word:08x}" for word in philox(counter, key)))
    nested = Stream(42, "data", "shuffle", update=7, shard=3)
    print("key", f"{Stream(42, 'data').key:016x}", f"{nested.key:016x}")
    print("bits", *(f"{nested.bits(e):08x}" for e in (0, 1, 2, 3, 4, 2**34 + 1)))
    print("normal", *(repr(nested.normal(e)) for e in range(4)))
    print("below", *(nested.below(1_000_000_007, e) for e in range(4)))
    print("shuffle", *nested.shuffle(list(range(20))))


main()

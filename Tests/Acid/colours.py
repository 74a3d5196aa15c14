"""What one colour is in other encodings. Formulas: IEC 61966-2-1 (sRGB), ITU-R BT.709, BT.2020, BT.2100 (PQ, HLG), ICC.1."""

# x and y of red, green, blue and white.
BT709 = ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), (0.3127, 0.3290))
BT2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), (0.3127, 0.3290))
P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.3127, 0.3290))
WIDE = ((0.7347, 0.2653), (0.1152, 0.8264), (0.1566, 0.0177), (0.3457, 0.3585))
D50 = (0.96422, 1.0, 0.82521)
BRADFORD = ((0.8951, 0.2664, -0.1614), (-0.7502, 1.7135, 0.0367), (0.0389, -0.0685, 1.0296))


def multiply(one, other):
    return tuple(tuple(sum(one[i][k] * other[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def apply(matrix, vector):
    return tuple(sum(matrix[i][k] * vector[k] for k in range(3)) for i in range(3))


def inverse(m):
    def minor(i, j):
        rows = [[m[r][c] for c in range(3) if c != j] for r in range(3) if r != i]
        return (rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]) * (-1) ** (i + j)
    whole = sum(m[0][j] * minor(0, j) for j in range(3))
    return tuple(tuple(minor(j, i) / whole for j in range(3)) for i in range(3))


def xyz(place):
    return (place[0] / place[1], 1.0, (1 - place[0] - place[1]) / place[1])


def to_xyz(primaries):
    """The matrix from linear light in these primaries to CIE XYZ, white at Y = 1."""
    columns = tuple(zip(*(xyz(place) for place in primaries[:3])))
    scales = apply(inverse(columns), xyz(primaries[3]))
    return tuple(tuple(columns[i][k] * scales[k] for k in range(3)) for i in range(3))


def adapted(primaries, white=D50):
    """The same, with its white adapted to another by Bradford's matrix (ICC.1, annex E)."""
    cone = tuple(b / a for a, b in zip(apply(BRADFORD, xyz(primaries[3])), apply(BRADFORD, white)))
    scaled = tuple(tuple(BRADFORD[i][k] * cone[i] for k in range(3)) for i in range(3))
    return multiply(multiply(inverse(BRADFORD), scaled), to_xyz(primaries))


def linear(value):
    """Of an sRGB sample from 0 to 1."""
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def srgb(value):
    value = min(1.0, max(0.0, value))
    return value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def pq(nits):
    """BT.2100, table 4: the code of a luminance."""
    y = (nits / 10_000) ** 0.1593017578125
    return ((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y)) ** 78.84375


def light(code):
    """BT.2100, table 4: the luminance of a code, up to 10,000 cd/m²."""
    power = code ** (1 / 78.84375)
    return 10_000 * (max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)


def mapped(nits, peak, white=203):
    """BT.2390, 5.4.1: a luminance of a display with this peak, as a share of the white of a page (BT.2408); both blacks at 0."""
    whole = pq(peak)
    value, most = pq(min(nits, peak)) / whole, pq(white) / whole
    knee = 1.5 * most - 0.5
    if value > knee:
        t = (value - knee) / (1 - knee)
        value = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (3 * t**2 - 2 * t**3) * most
    return light(value * whole) / white


def hlg(value):
    """BT.2100, table 5: the code of scene light from 0 to 1."""
    if value <= 1 / 12:
        return (3 * value) ** 0.5
    from math import log
    return 0.17883277 * log(12 * value - 0.28466892) + 0.55991073


def encoded(colour, primaries=BT709, curve=srgb):
    """An sRGB colour, 0 to 255, as samples from 0 to 1 in other primaries and by another curve."""
    light = apply(to_xyz(BT709), tuple(linear(sample / 255) for sample in colour))
    if primaries[3] != BT709[3]:
        # To the other white, as chromaticities of a file mean it.
        cone = tuple(b / a for a, b in zip(apply(BRADFORD, xyz(BT709[3])), apply(BRADFORD, xyz(primaries[3]))))
        scaled = tuple(tuple(BRADFORD[i][k] * cone[i] for k in range(3)) for i in range(3))
        light = apply(multiply(inverse(BRADFORD), scaled), light)
    return tuple(curve(max(0.0, value)) for value in apply(inverse(to_xyz(primaries)), light))

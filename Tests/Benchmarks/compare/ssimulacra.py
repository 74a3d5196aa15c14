"""SSIMULACRA 2.1, the perceptual metric of Cloudinary (ssimulacra2): 100 means identical, 90 visually
lossless, 70 high quality.

The weights come from the PyPI package `ssimulacra2`. Its own function is not used: it leaves out scales that the
original has and then consumes the weights of others in their place, which matters at 128 pixels. Here every
weight belongs to its channel and scale; an image too small for a scale lacks that scale's terms.
"""
import numpy as np
from scipy import ndimage
from ssimulacra2.ssimulacra2 import weights

# By channel, scale, norm (mean, 4-norm) and map (SSIM, ringing, blurring).
WEIGHTS = np.asarray(weights, dtype=np.float64).reshape(3, 6, 2, 3)

# Linear sRGB to LMS, and the bias below the cube root (libjxl, opsin_params.h).
MIXING = np.array([[0.30, 0.622, 0.078], [0.23, 0.692, 0.078],
                   [0.24342268924547819, 0.20476744424496821, 0.55180986650955360]], dtype=np.float32)
BIAS = np.float32(0.0037930732552754493)


def gaussian_taps(sigma=1.5):
    """The impulse response of libjxl's recursive Gaussian: three cosines, truncated
    (Charalampidis 2016, equations 37 to 53)."""
    radius = round(3.2795 * sigma + 0.2546)
    omega = np.array([1, 3, 5]) * np.pi / (2 * radius)
    p = np.array([1, -1, 1]) / np.tan(omega / 2)
    r = np.array([1, -1, 1]) * p * p / np.sin(omega)
    rho = np.exp(-0.5 * sigma ** 2 * omega ** 2) / radius
    first = p[0] * r[1] - r[0] * p[1]
    zeta = np.array([p[1] * r[2] - r[1] * p[2], p[2] * r[0] - r[2] * p[0]]) / first
    beta = np.linalg.solve([p, r, [*zeta, 1]], [1, radius ** 2 - sigma ** 2, zeta @ rho[:2] + rho[2]])
    return beta @ np.cos(np.outer(omega, np.arange(1 - radius, radius)))


TAPS = gaussian_taps()


def blur(image):
    for axis in (0, 1):
        image = ndimage.correlate1d(image, TAPS, axis=axis, mode="constant")
    return image


def linear(image):
    """8-bit sRGB to linear light."""
    values = np.arange(256) / 255
    table = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return table.astype(np.float32)[image]


def halved(image):
    """Half as large, by averages of 2 x 2 pixels; an odd last row or column is repeated."""
    height, width = image.shape[:2]
    image = np.pad(image, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2]) / 4


def positive_xyb(image):
    mixed = np.cbrt(np.maximum(image @ MIXING.T + BIAS, 0)) - np.cbrt(BIAS)
    x, y, b = (mixed[..., 0] - mixed[..., 1]) / 2, (mixed[..., 0] + mixed[..., 1]) / 2, mixed[..., 2]
    return np.stack([x * 14 + 0.42, y + 0.01, b - y + 0.55], axis=2)


def maps(first, second):
    """SSIM error, ringing and blurring of every pixel and channel."""
    mean1, mean2 = blur(first), blur(second)
    covariance = blur(first * second) - mean1 * mean2
    variances = blur(first * first) - mean1 ** 2 + blur(second * second) - mean2 ** 2
    ssim = 1 - (1 - (mean1 - mean2) ** 2) * (2 * covariance + 0.0009) / (variances + 0.0009)
    edges = (1 + np.abs(second - mean2)) / (1 + np.abs(first - mean1)) - 1
    return np.maximum(ssim, 0), np.maximum(edges, 0), np.maximum(-edges, 0)


def score(original, distorted):
    """Compares two RGB images of the same shape (height, width, 3), 8 bits, sRGB."""
    first, second = linear(original), linear(distorted)
    total = 0.0
    for scale in range(6):
        if min(first.shape[:2]) < 8:
            break
        if scale > 0:
            first, second = halved(first), halved(second)
        for index, values in enumerate(maps(positive_xyb(first), positive_xyb(second))):
            mean = values.mean(axis=(0, 1), dtype=np.float64)
            fourth = np.mean(values.astype(np.float64) ** 4, axis=(0, 1)) ** 0.25
            total += WEIGHTS[:, scale, 0, index] @ mean + WEIGHTS[:, scale, 1, index] @ fourth
    s = total * 0.9562382616834844
    s = 2.326765642916932 * s - 0.020884521182843837 * s ** 2 + 6.248496625763138e-5 * s ** 3
    return 100 - 10 * s ** 0.6276336467831387 if s > 0 else 100.0

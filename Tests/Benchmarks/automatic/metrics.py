"""The second metric, which the search does not see: structural dissimilarity, (1 - SSIM) / 2, times 1,000.

SSIM is that of Wang, Bovik, Sheikh and Simoncelli (2004): luma (BT.601) of 8-bit samples, a Gaussian window with a
deviation of 1.5, K1 = 0.01, K2 = 0.03, the mean over all pixels. 0 means identical. It sees no colour.
"""
import numpy as np
from scipy import ndimage

LUMA = np.array([0.299, 0.587, 0.114])


def blur(image):
    return ndimage.gaussian_filter(image, 1.5, truncate=3.5, mode="reflect")


def dissimilarity(reference, candidate):
    first, second = (image.astype(np.float64) @ LUMA for image in (reference, candidate))
    mean1, mean2 = blur(first), blur(second)
    variance1 = blur(first * first) - mean1 ** 2
    variance2 = blur(second * second) - mean2 ** 2
    covariance = blur(first * second) - mean1 * mean2
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    ssim = (2 * mean1 * mean2 + c1) * (2 * covariance + c2) / (
        (mean1 ** 2 + mean2 ** 2 + c1) * (variance1 + variance2 + c2))
    return 500 * (1 - ssim.mean())

"""Plots of certificates, in the manner of scikit-learn's displays.

matplotlib is needed for `plot` only: ``pip install matplotlib``.
"""

from redoubt.displays._attack_curve import AttackCurveDisplay
from redoubt.displays._boundary import BoundaryDisplay
from redoubt.displays._defence_heatmap import DefenceHeatmapDisplay
from redoubt.displays._detection import DetectionDisplay
from redoubt.displays._growth import GrowthDisplay
from redoubt.displays._radius_histogram import RadiusHistogramDisplay

__all__ = [
    "AttackCurveDisplay",
    "BoundaryDisplay",
    "DefenceHeatmapDisplay",
    "DetectionDisplay",
    "GrowthDisplay",
    "RadiusHistogramDisplay",
]

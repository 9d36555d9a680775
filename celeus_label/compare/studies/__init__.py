"""The paper's studies by name."""

from celeus_label.compare.studies import coverage, efficiency, runtime, sampling, sensitivity
from celeus_label.compare.studies.base import Report, Settings, Study
from celeus_label.compare.studies.mechanism import BIAS, SIGNAL, VARIANCE

STUDIES: dict[str, Study] = {
    "coverage": coverage.STUDY,
    "efficiency": efficiency.STUDY,
    "bias": BIAS,
    "signal": SIGNAL,
    "variance": VARIANCE,
    "sampling": sampling.STUDY,
    "sensitivity": sensitivity.STUDY,
    "runtime": runtime.STUDY,
}

__all__ = ["STUDIES", "Report", "Settings", "Study"]

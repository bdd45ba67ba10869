"""What an adversary may do to a point: rules as a value, and resolved for the features of a table."""

from redoubt._attack_models.attack_model import AttackModel
from redoubt._attack_models.documents import as_number_or_text
from redoubt._attack_models.norms import DUAL_NORMS, NORMS, choose_norm
from redoubt._attack_models.resolved import ResolvedAttackModel

__all__ = [
    "DUAL_NORMS",
    "NORMS",
    "AttackModel",
    "ResolvedAttackModel",
    "as_number_or_text",
    "choose_norm",
]

"""Norms by their names, and the one that counts."""

from redoubt._attack_models.attack_model import AttackModel
from redoubt._attack_models.resolved import ResolvedAttackModel
from redoubt._checks import check_word

DUAL_NORMS = ("l1", "l2", "linf")
NORMS = (*DUAL_NORMS, "l0")


def choose_norm(attack_model, norm):
    """Return the norm to use, or raise when the two contradict each other."""
    if attack_model is None:
        return "l2" if norm is None else check_word("norm", norm, NORMS)
    if not isinstance(attack_model, (AttackModel, ResolvedAttackModel)):
        raise TypeError(
            f"attack_model: expected a redoubt.AttackModel (AttackModel.from_dict and from_json "
            f"make one) or None, got {type(attack_model).__name__}"
        )
    if norm is not None and norm != attack_model.norm:
        raise ValueError(
            f"norm: {norm!r} contradicts the attack model's {attack_model.norm!r}; leave it out, or "
            f"take attack_model=AttackModel({norm!r}), the plain ball"
        )
    return attack_model.norm

#pragma once

/// Proof files: a header about the vote and the moves, then one line per point (JSON lines).
/// docs/formats.md specifies every field; redoubt_check.py reads them.

#include "redoubt/attack_model.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/class_vote.hpp"
#include "redoubt/ensemble.hpp"

#include <string>
#include <vector>

namespace redoubt {

/// The first line, including its line break. `model_hash` is the SHA-256 of the model file, or
/// empty.
std::string proof_header(const Ensemble& ensemble, const AttackModel& attack_model,
                         const std::string& model_hash = {});

/// The line of a point with its certificate, which must hold a proof. `row` counts from 1; `frozen`
/// are the features that do not move in this row, whatever the attack model says.
std::string proof_line(Index row, const Ensemble& ensemble, const AttackModel& attack_model,
                       const VectorRef& x, const Certificate& certificate,
                       const std::vector<int>& frozen = {});

/// The same for several classes; no values may settle the vote's ties.
std::string proof_header(const ClassVote& vote, const AttackModel& attack_model,
                         const std::string& model_hash = {});

/// `label` is that of the certificate, which must hold a proof.
std::string proof_line(Index row, const ClassVote& vote, const VectorRef& x, int label,
                       const ClassCertificate& certificate, const std::vector<int>& frozen = {});

}  // namespace redoubt

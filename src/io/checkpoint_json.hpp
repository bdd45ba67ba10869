#pragma once

/// Converts between a checkpoint and the fields of its file. The names of the fields are those of
/// the C++ members, so that an InvalidInput from Checkpoint::check names the field as well.

#include "io/json_document.hpp"
#include "redoubt/checkpoint.hpp"

#include <string>
#include <string_view>

namespace redoubt::io {

inline constexpr std::string_view kCheckpointFormat = "redoubt checkpoint";

/// The alternatives of Checkpoint::state, in their order.
enum class StateKind : std::size_t { Planes, RobustEnsemble, Collaborative };

/// Every method and the kind of its state.
inline constexpr EnumName<StateKind> kStateKinds[] = {{StateKind::Planes, "svm-ens"},
                                                      {StateKind::RobustEnsemble, "ens-e"},
                                                      {StateKind::RobustEnsemble, "ens-r"},
                                                      {StateKind::RobustEnsemble, "ens-h"},
                                                      {StateKind::Collaborative, "ens-c"}};

/// All fields, with the checksum last. The checkpoint must be valid (Checkpoint::check).
Json checkpoint_to_fields(const Checkpoint& checkpoint);

/// Throws ParseError with `origin` and the name of the field.
Checkpoint checkpoint_from_fields(Json fields, const std::string& origin);

}  // namespace redoubt::io

#pragma once

/// Converts between a model and the fields of its file. The names of the fields are those of the
/// C++ members, so that an InvalidInput from a constructor names the field as well.

#include "io/attack_model_json.hpp"
#include "io/json_document.hpp"
#include "redoubt/model.hpp"

#include <string>
#include <string_view>

namespace redoubt::io {

inline constexpr std::string_view kModelFormat = "redoubt model";

inline constexpr EnumName<ColumnRole> kRoleNames[] = {{ColumnRole::Feature, "feature"},
                                                      {ColumnRole::Label, "label"},
                                                      {ColumnRole::Ignored, "ignored"}};
inline constexpr EnumName<MissingValues> kMissingNames[] = {{MissingValues::Error, "error"},
                                                            {MissingValues::Drop, "drop"},
                                                            {MissingValues::Median, "median"}};
inline constexpr EnumName<UnseenCategory> kUnseenNames[] = {{UnseenCategory::Error, "error"},
                                                            {UnseenCategory::Zeros, "zeros"}};

/// All fields, with the checksum last.
Json model_to_fields(const Model& model);

/// Throws ParseError with `origin` and the name of the field.
Model model_from_fields(Json fields, const std::string& origin);

}  // namespace redoubt::io

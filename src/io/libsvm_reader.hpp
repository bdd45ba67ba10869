#pragma once

/// LIBSVM / SVMlight text, as docs/formats.md describes it.

#include "data/table.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace redoubt::io {

struct LibsvmSettings {
    std::string origin;
    /// 0 = the largest index in the file.
    Index n_features = 0;
    std::size_t max_bytes = 0;
    /// The line of the file on which the text starts.
    long first_line = 1;
};

/// True if the first row looks like "label index:value ..".
bool looks_like_libsvm(std::string_view text);

/// A table of the label (text, slot 0; missing if a row has none) and the features x1, x2, ..
Table read_libsvm(std::string_view text, const LibsvmSettings& settings);

}  // namespace redoubt::io

#include "redoubt/error.hpp"

#include <utility>

namespace redoubt {

namespace {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (std::string_view part : parts) text += part;
    return text;
}

std::string position(std::string_view path, long line, long column) {
    std::string text(path);
    if (line > 0) text += ":" + std::to_string(line);
    if (line > 0 && column > 0) text += ":" + std::to_string(column);
    return text;
}

}  // namespace

InvalidInput::InvalidInput(std::string_view argument, std::string_view wanted, std::string_view got)
    : std::invalid_argument(join({argument, ": expected ", wanted, ", got ", got})),
      argument_(argument) {}

InvalidInput::InvalidInput(std::string_view argument, std::string_view problem)
    : std::invalid_argument(join({argument, ": ", problem})), argument_(argument) {}

ParseError::ParseError(std::string_view path, long line, long column, std::string_view problem,
                       ParseCause cause, std::vector<std::string> columns)
    : std::runtime_error(join({position(path, line, column), ": ", problem})),
      path_(path),
      line_(line),
      column_(column),
      cause_(cause),
      columns_(std::move(columns)) {}

WriteError::WriteError(std::string_view path, std::string_view reason)
    : std::runtime_error(join({path, ": cannot write the file: ", reason})), path_(path) {}

}  // namespace redoubt

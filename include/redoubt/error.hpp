#pragma once

/// What the library throws, and when.
///
/// A caller's mistake throws `InvalidInput` before any state changes; a file that cannot be read or
/// understood throws `ParseError`, one that cannot be written `WriteError`. The outcome of a
/// computation is a `Status` (status.hpp), never an exception. Anything else that escapes
/// (`std::logic_error`, `std::bad_alloc`) is a bug in the library or a failure of the machine.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

class InvalidInput : public std::invalid_argument {
public:
    /// The message reads "ARGUMENT: expected WANTED, got GOT".
    InvalidInput(std::string_view argument, std::string_view wanted, std::string_view got);
    /// The message reads "ARGUMENT: PROBLEM".
    InvalidInput(std::string_view argument, std::string_view problem);

    const std::string& argument() const noexcept { return argument_; }

private:
    std::string argument_;
};

/// A cause that a setting of the reader could cure, so that a program can name its option.
enum class ParseCause {
    Other,
    Text,            ///< text in a column of numbers: `columns` holds it, if it could be the label
    StrayText,       ///< a few texts in a column of numbers: `columns` holds it
    DecimalComma,    ///< numbers with a decimal comma: `columns` holds theirs, if read as text
    MissingFeature,  ///< a missing value among the features: `columns` holds its, if it may be text
    MissingLabel,    ///< a missing label, weight or radius
    UnseenCategory,  ///< a category that the training data did not have
    NotModel,        ///< something other than a model where one is wanted
    Classes,         ///< not two classes: `columns` are those with two values
};

/// The message reads "PATH:LINE:COLUMN: PROBLEM"; a line or column of 0 is left out.
/// Lines and columns count from 1; a column is a field of the table, not a character.
class ParseError : public std::runtime_error {
public:
    ParseError(std::string_view path, long line, long column, std::string_view problem,
               ParseCause cause = ParseCause::Other, std::vector<std::string> columns = {});

    const std::string& path() const noexcept { return path_; }
    long line() const noexcept { return line_; }
    long column() const noexcept { return column_; }
    ParseCause cause() const noexcept { return cause_; }
    const std::vector<std::string>& columns() const noexcept { return columns_; }

private:
    std::string path_;
    long line_;
    long column_;
    ParseCause cause_;
    std::vector<std::string> columns_;
};

/// The message reads "PATH: cannot write the file: REASON".
class WriteError : public std::runtime_error {
public:
    WriteError(std::string_view path, std::string_view reason);

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace redoubt

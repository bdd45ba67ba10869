#pragma once

/// Checks proof files (proof_file.hpp) in exact arithmetic. Knows the format and the claim, and
/// nothing about the searches that write them.

#include "redoubt/data_files.hpp"
#include "redoubt/types.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace redoubt {

/// The verdict on one line of a proof file.
struct ProofVerdict {
    std::int64_t row = 0;  ///< as the line states it
    bool is_proven = false;
    std::string reason{};  ///< why it is refused
    int answer = 0;        ///< of the vote at the point
    double radius = 0.0;   ///< no smaller move changes the answer
};

class ProofChecker {
public:
    /// Reads the first line. `origin` is the file's name for messages. Throws ParseError.
    ProofChecker(std::string_view header, std::string origin);
    ~ProofChecker();

    /// `number` is the number of the line (from 1). Throws ParseError if the line is not a proof at
    /// all.
    ProofVerdict check(std::string_view line, std::int64_t number) const;
    /// The SHA-256 of the model file that the proofs are about; empty if they do not state one.
    const std::string& model_hash() const;

private:
    struct Parts;
    std::unique_ptr<const Parts> parts_;
};

/// Checks a file line by line, in memory that does not grow with their number, and calls `take` for
/// every point. With a `model_hash`, proofs about another model file are refused. Throws
/// ParseError.
void check_proofs(const DataSource& source, const std::function<void(const ProofVerdict&)>& take,
                  const std::string& model_hash = {});

/// The SHA-256 of the bytes of a file. Throws ParseError if it cannot be read.
std::string file_hash(const std::filesystem::path& path);

}  // namespace redoubt

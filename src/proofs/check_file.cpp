#include <fstream>
#include <iterator>

#include "core/sha256.hpp"
#include "io/text_blocks.hpp"
#include "redoubt/error.hpp"
#include "redoubt/proof_check.hpp"

namespace redoubt {

namespace {

/// A file may go on with another header, about another vote.
constexpr std::string_view kHeaderStart = "{\"redoubt_proofs\":";
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

/// Lines that are complete.
std::size_t whole_lines(std::string_view text) {
    const std::size_t last = text.rfind('\n');
    return last == std::string_view::npos ? 0 : last + 1;
}

}  // namespace

void check_proofs(const DataSource& source, const std::function<void(const ProofVerdict&)>& take,
                  const std::string& model_hash) {
    io::TextBlocks blocks(source, kBlockBytes);
    std::unique_ptr<const ProofChecker> checker;
    std::int64_t number = 0;
    for (std::string_view text = blocks.take(whole_lines); !text.empty();
         text = blocks.take(whole_lines)) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
            const std::string_view line = text.substr(0, end);
            text.remove_prefix(end);
            ++number;
            if (checker && !line.starts_with(kHeaderStart)) {
                take(checker->check(line, number));
                continue;
            }
            checker = std::make_unique<const ProofChecker>(line, blocks.name());
            if (!model_hash.empty() && checker->model_hash() != model_hash) {
                throw ParseError(blocks.name(), number, 0,
                                 "the proofs are about another model file (another SHA-256)");
            }
        }
    }
}

std::string file_hash(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad()) throw ParseError(path.string(), 0, 0, "cannot be read");
    return sha256(text);
}

}  // namespace redoubt

#include "redoubt/model_file.hpp"

#include "io/file_text.hpp"
#include "io/model_json.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

std::string model_to_json(const Model& model) {
    std::string text = io::json_text(io::model_to_fields(model));
    if (text.size() > kMaxModelBytes) {
        throw InvalidInput("model",
                           "a text of at most " + std::to_string(kMaxModelBytes) + " bytes",
                           std::to_string(text.size()));
    }
    return text;
}

Model model_from_json(std::string_view text, const std::string& name) {
    const io::FileText file(DataSource::text(text, name), kMaxModelBytes);
    return io::model_from_fields(io::parse_json(file.text(), file.name()), file.name());
}

void save_model(const Model& model, const std::filesystem::path& path) {
    write_file_atomically(path, model_to_json(model));
}

Model load_model(const std::filesystem::path& path) {
    const io::FileText file(path.string(), kMaxModelBytes);
    return io::model_from_fields(io::parse_json(file.text(), file.name()), file.name());
}

}  // namespace redoubt

#include "redoubt/model_file.hpp"

#include "io/model_json.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

std::string model_to_json(const Model& model) {
    return io::limited_text(io::model_to_fields(model), "model", kMaxModelBytes);
}

Model model_from_json(std::string_view text, const std::string& name) {
    return io::read_fields(DataSource::text(text, name), kMaxModelBytes, io::model_from_fields,
                           io::FileContent::Model);
}

void save_model(const Model& model, const std::filesystem::path& path) {
    write_file_atomically(path, model_to_json(model));
}

Model load_model(const std::filesystem::path& path) {
    return io::read_fields(path.string(), kMaxModelBytes, io::model_from_fields,
                           io::FileContent::Model);
}

}  // namespace redoubt

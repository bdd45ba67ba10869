#include "redoubt/attack_model_file.hpp"

#include <string>
#include <utility>

#include "io/attack_model_json.hpp"
#include "io/file_text.hpp"
#include "redoubt/model.hpp"

namespace redoubt {

AttackedData AttackedData::of(const TableCoding& coding, const Scaler& scaler) {
    return {.feature_names = coding.feature_names(),
            .classes = coding.classes,
            .unit = scaler.scale(),
            .columns = coding.columns_of_features()};
}

AttackedData AttackedData::of(const Model& model) {
    return of(model.coding(), model.scaler());
}

namespace {

AttackModel read_file(const io::FileText& file, const AttackedData& data) {
    const io::Json fields = io::parse_json(file.text(), file.name());
    return io::read_attack_model(io::JsonField(fields, file.name()), data);
}

}  // namespace

AttackModel load_attack_model(const std::filesystem::path& path, const AttackedData& data) {
    return read_file(io::FileText(path.string(), kMaxAttackModelBytes), data);
}

AttackModel attack_model_from_json(std::string_view text, const AttackedData& data,
                                   const std::string& name) {
    return read_file(io::FileText(DataSource::text(text, name), kMaxAttackModelBytes), data);
}

AttackRules::AttackRules(std::string text, std::string name, int first_number)
    : text_(std::move(text)), name_(std::move(name)), first_number_(first_number) {
    const io::FileText file(DataSource::text(text_, name_), kMaxAttackModelBytes);
    const io::Json fields = io::parse_json(file.text(), name_);
    io::MentionedFeatures found = io::read_mentioned(io::JsonField(fields, name_), first_number);
    mentioned_ = std::move(found.model);
    names_ = std::move(found.names);
    number_of_ = std::move(found.numbers);
}

AttackModel AttackRules::resolve(AttackedData data) const {
    data.first_number = first_number_;
    return attack_model_from_json(text_, data, name_);
}

std::string AttackRules::summary(const std::vector<std::string>& feature_names) const {
    SummaryNames names = names_;
    for (std::size_t l = 0; l < number_of_.size(); ++l) {
        const bool is_known =
            number_of_[l] >= 0 && number_of_[l] < static_cast<Index>(feature_names.size());
        if (is_known) names.features[l] = feature_names[static_cast<std::size_t>(number_of_[l])];
    }
    return mentioned_.summary(names);
}

std::string AttackRules::brief() const {
    return mentioned_.brief(names_);
}

}  // namespace redoubt

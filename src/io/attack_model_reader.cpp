#include "io/attack_model_reader.hpp"

namespace redoubt {

namespace io {

AttackModel read_attack_model(const JsonField& field, const AttackedData& data) {
    return AttackModelReader(field, &data, data.first_number).read();
}

MentionedFeatures read_mentioned(const JsonField& field, int first_number) {
    AttackModelReader reader(field, nullptr, first_number);
    AttackModel model = reader.read();
    return {std::move(model), reader.names(), reader.finder().numbers()};
}

}  // namespace io

}  // namespace redoubt

#include "redoubt/status.hpp"
#include "core/enum_names.hpp"

namespace redoubt {

std::string_view to_string(Status status) noexcept {
    return name_of(kStatusNames, status);
}

}  // namespace redoubt

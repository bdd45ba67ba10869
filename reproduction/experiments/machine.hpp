#pragma once

/// What a run was made on, for the record.

#include <string>

namespace redoubt::reproduction {

/// "unknown" where the system does not tell.
std::string processor_name();
int n_processor_threads();
/// "Linux 6.1.0 x86_64", say.
std::string system_name();
std::string compiler_name();

}  // namespace redoubt::reproduction

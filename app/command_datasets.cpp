// redoubt datasets: the data sets that are compiled in.

#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>

#include "command.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

std::string split_sizes(std::string_view name) {
    try {
        const Split split = published_split(name);
        return std::to_string(split.train.size()) + " + " + std::to_string(split.test.size());
    } catch (const InvalidInput&) {  // the set has no published split
        return "-";
    }
}

ExitCode list_datasets() {
    std::cout << std::left << std::setw(14) << "name" << std::right << std::setw(7) << "points"
              << std::setw(10) << "features" << std::setw(10) << "positive" << std::setw(14)
              << "train + test" << '\n';
    for (const std::string_view name : bundled_names()) {
        const Dataset data = load_bundled(name);
        std::cout << std::left << std::setw(14) << name << std::right << std::setw(7)
                  << data.n_samples() << std::setw(10) << data.n_features() << std::setw(10)
                  << (data.y.array() > 0.0).count() << std::setw(14) << split_sizes(name) << '\n';
    }
    return kProven;
}

}  // namespace

Run add_datasets_command(CLI::App& parser) {
    parser.add_subcommand("datasets", "List the bundled data sets");
    return list_datasets;
}

}  // namespace redoubt::app

// redoubt datasets: the data sets that are compiled in.

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string_view>

#include "commands/command.hpp"
#include "output/report.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

/// Nothing if the set has no published split.
std::optional<Split> find_split(std::string_view name) {
    try {
        return published_split(name);
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

ExitCode list_datasets(const OutputOptions& output) {
    output.check();
    Report report(output.format());
    Table& table = report.add_table("datasets", "",
                                    {"name", "points", "features", "negative", "positive",
                                     "label_of_positive", "train", "test"});
    for (const std::string_view name : bundled_names()) {
        const Dataset data = load_bundled(name);
        const Index n_positive = (data.y.array() > 0.0).count();
        table.add(name).add(data.n_samples()).add(data.n_features());
        table.add(data.n_samples() - n_positive).add(n_positive).add(data.classes[1]);
        if (const std::optional<Split> split = find_split(name)) {
            table.add(static_cast<Index>(split->train.size()));
            table.add(static_cast<Index>(split->test.size()));
        } else {
            table.add_missing().add_missing();
        }
    }
    output.write(report);
    return kProven;
}

}  // namespace

Run add_datasets_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("datasets", "List the bundled data sets");
    auto output = std::make_shared<OutputOptions>(OutputOptions::Usual::Text);
    output->add_to(*command);
    describe(*command, "NAME is all points; NAME:train and NAME:test are the published split.",
             {{"Names and sizes", "redoubt datasets"},
              {"The names alone", "redoubt datasets --format csv | tail -n +2 | cut -d, -f1"}});
    return [output] { return list_datasets(*output); };
}

}  // namespace redoubt::app

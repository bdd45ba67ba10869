#include "experiments/published_tables.hpp"

#include <stdexcept>

#include "core/text_tools.hpp"
#include "experiments/problem.hpp"
#include "io/bundled_texts.hpp"

namespace redoubt::reproduction {

namespace {

/// One line: texts and then numbers.
struct Line {
    std::vector<std::string_view> fields;

    std::string dataset() const { return std::string(fields[0]); }
    Norm norm() const { return parse_norm(fields[1]); }
    std::string method() const { return std::string(fields[2]); }
    double number(std::size_t field) const {
        double value = 0.0;
        if (parse_number(fields[field], value) != NumberText::Number)
            throw std::logic_error("bundled table: no number");
        return value;
    }
};

/// What comes before `separator`; `rest` loses it.
std::string_view take_until(char separator, std::string_view& rest) {
    const std::size_t end = rest.find(separator);
    const std::string_view taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return taken;
}

template <class Take>
void for_each_line(std::string_view name, const Take& take) {
    const std::string text = io::bundled_text(name);
    std::string_view rest = text;
    take_until('\n', rest);  // the header
    while (!rest.empty()) {
        std::string_view row = take_until('\n', rest);
        Line line;
        while (!row.empty()) line.fields.push_back(take_until(',', row));
        take(line);
    }
}

}  // namespace

std::vector<PublishedAccuracy> published_accuracies() {
    std::vector<PublishedAccuracy> cells;
    for_each_line("published/accuracy", [&](const Line& line) {
        cells.push_back({.dataset = line.dataset(),
                         .norm = line.norm(),
                         .method = line.method(),
                         .defense_radius = line.number(3),
                         .attack_radius = line.number(4),
                         .percent = line.number(5)});
    });
    return cells;
}

std::vector<PublishedAccuracy> published_k_development() {
    std::vector<PublishedAccuracy> cells;
    for_each_line("published/k_development", [&](const Line& line) {
        const std::string method = line.method();
        cells.push_back({.dataset = line.dataset(),
                         .norm = line.norm(),
                         .method = method,
                         .defense_radius = method == "SVM-Ens" ? 0.0 : kDevelopmentDefense,
                         .attack_radius = kDevelopmentAttack,
                         .n_planes = static_cast<Index>(line.number(3)),
                         .percent = line.number(4)});
    });
    return cells;
}

std::vector<PublishedTime> published_times() {
    std::vector<PublishedTime> times;
    for_each_line("published/training_time", [&](const Line& line) {
        times.push_back(
            {line.dataset(), line.norm(), line.method(), line.number(3), line.number(4)});
    });
    return times;
}

std::optional<Hyperplane> solver_plane(std::string_view dataset, Norm norm, double defense_radius) {
    std::optional<Hyperplane> plane;
    for_each_line("published/first_planes", [&](const Line& line) {
        if (line.fields[0] != dataset || line.norm() != norm || line.number(2) != defense_radius)
            return;
        constexpr std::size_t kFirstWeight = 4;
        plane = Hyperplane{Vector(static_cast<Index>(line.fields.size() - kFirstWeight)),
                           line.number(3)};
        for (std::size_t i = kFirstWeight; i < line.fields.size(); ++i)
            plane->w[static_cast<Index>(i - kFirstWeight)] = line.number(i);
    });
    return plane;
}

}  // namespace redoubt::reproduction

#pragma once

/// What the sources of the extension share: each has one function that adds its names to the
/// module.

#include <nanobind/eigen/dense.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "points_caster.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/error.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

struct TableCoding;

}

namespace redoubt::python {

/// The arrays of a CSR matrix.
struct CompressedRows {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int64_t> columns;
    std::vector<double> values;
};

/// What a computation found, by name: attributes of an object in Python.
struct Columns {
    using Value =
        std::variant<double, std::string, Vector, Matrix, std::vector<int>,
                     std::vector<std::string>, std::vector<std::vector<int>>, CompressedRows>;
    std::map<std::string, Value> values;
};

/// A field of every record, as an array.
template <typename Record, typename Field>
Vector column(const std::vector<Record>& records, Field field) {
    Vector values(static_cast<Index>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) {
        values[static_cast<Index>(i)] = static_cast<double>(records[i].*field);
    }
    return values;
}

/// The same as a list.
template <typename Record, typename T>
std::vector<T> list(const std::vector<Record>& records, T Record::*field) {
    std::vector<T> values;
    for (const Record& record : records) values.push_back(record.*field);
    return values;
}

/// Keyword arguments that set the fields of the library's settings. None leaves a field as it is.
class Keywords {
public:
    explicit Keywords(nanobind::kwargs given) : given_(std::move(given)) {}

    /// Throws TypeError for a value that does not fit.
    template <typename T>
    Keywords& read(const char* name, T& field) {
        if (!given_.contains(name)) return *this;
        const nanobind::object value = given_[name];
        PyDict_DelItemString(given_.ptr(), name);
        if (value.is_none()) return *this;
        try {
            field = nanobind::cast<T>(value);
        } catch (const std::bad_cast&) {
            fail(name + std::string(": expected ") + wanted<T>(), value);
        }
        return *this;
    }

    /// A word that stands for a value.
    template <typename T>
    Keywords& read(const char* name, T& field, T (*parse)(std::string_view)) {
        if (given_.contains(name) && !given_[name].is_none() &&
            !nanobind::isinstance<nanobind::str>(given_[name])) {
            refuse(name, parse);
        }
        std::string word;
        read(name, word);
        if (!word.empty()) field = parse(word);
        return *this;
    }

    /// What the adversary may do: `attack_model`, or else the ball of `norm`.
    Keywords& read(AttackModel& field) {
        read("norm", field.norm, parse_norm);
        return read("attack_model", field);
    }

    /// Throws TypeError for a keyword that nobody has read.
    void finish() const {
        for (const auto& [name, value] : given_) {
            const std::string text = nanobind::cast<std::string>(name);
            throw nanobind::type_error(("unexpected keyword argument '" + text + "'").c_str());
        }
    }

private:
    template <typename T>
    static const char* wanted() {
        if constexpr (std::is_same_v<T, bool>) return "True or False";
        if constexpr (std::is_integral_v<T>) return "an integer";
        if constexpr (std::is_floating_point_v<T>) return "a number";
        if constexpr (std::is_same_v<T, std::string>) return "a text";
        if constexpr (std::is_same_v<T, AttackModel>) return "an attack model";
        return "numbers";
    }

    [[noreturn]] static void fail(const std::string& problem, const nanobind::object& value) {
        const std::string got = nanobind::cast<std::string>(nanobind::repr(value));
        throw nanobind::type_error((problem + ", got " + got).c_str());
    }

    /// What is no text is no word: the parser knows which there are.
    template <typename T>
    [[noreturn]] void refuse(const char* name, T (*parse)(std::string_view)) {
        std::string problem = name;
        try {
            parse("");
        } catch (const InvalidInput& error) {
            problem = error.what();
        }
        fail(problem.substr(0, problem.rfind(", got ")), given_[name]);
    }

    nanobind::kwargs given_;
};

/// The settings of all searches.
template <typename Settings>
void read_search(Keywords& keywords, Settings& settings) {
    keywords.read(settings.attack_model)
        .read("solver", settings.solver, parse_solver)
        .read("max_nodes", settings.limits.max_nodes_per_point)
        .read("max_seconds_per_point", settings.limits.max_seconds_per_point)
        .read("max_seconds", settings.limits.max_seconds)
        .read("n_threads", settings.n_threads)
        .read("frozen", settings.frozen);
}

/// Columns of numbers with these names.
TableCoding named_coding(const std::vector<std::string>& feature_names,
                         const ClassNames& classes);

void bind_arrow(nanobind::module_& module);
void bind_attack_model(nanobind::module_& module);
void bind_bands(nanobind::module_& module);
void bind_certificate(nanobind::module_& module);
void bind_certifier(nanobind::module_& module);
void bind_classes(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_ensemble(nanobind::module_& module);
void bind_explain(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_svm(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace redoubt::python

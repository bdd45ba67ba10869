/// An attack model to begin with, from what a table looks like.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/text_tools.hpp"
#include "io/json_text.hpp"
#include "redoubt/attack_model_file.hpp"

namespace redoubt {

namespace {

using io::Json;

/// Fewer rows say nothing about identifiers.
constexpr Index kLeastRows = 10;

/// Four digits are plenty to begin with.
double rounded(double value) {
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, 4);
    double result = value;
    std::from_chars(digits.begin(), end.ptr, result);
    return result;
}

class Proposal {
public:
    Proposal(const FeatureData& table, const TableCoding& coding, Norm norm)
        : table_(table), coding_(coding), counts_(norm == Norm::L0) {
        fields_ = {{"comment", Json::array()}, {"norm", to_string(norm)}};
    }

    std::string text() {
        remark(std::string(counts_ ? "every changed column has size 1"
                                   : "scale: one standard deviation of each column is size 1") +
               "; bounds: the range of the data; a switch of category has size 1");
        for (const ColumnFeatures& column : coding_.columns_of_features()) {
            if (column.is_text()) {
                add_text(column);
            } else {
                add_numbers(column);
            }
            const Index n_missing = count_missing(column.first);
            if (n_missing > 0) {
                remark(column.name + ": missing in " + counted(n_missing, "row") +
                       ", where it does not move");
            }
        }
        for (const auto& [name, part] :
             {std::pair("frozen", &frozen_), std::pair("integer", &integer_),
              std::pair("scale", &scale_), std::pair("bounds", &bounds_),
              std::pair("switch_cost", &cost_)}) {
            if (!part->empty()) fields_[name] = std::move(*part);
        }
        return io::json_text(fields_);
    }

private:
    void remark(const std::string& text) { fields_["comment"].push_back(text); }

    void freeze(const ColumnFeatures& column, const std::string& why) {
        frozen_.push_back(column.name);
        remark(column.name + ": " + why + ", so frozen");
    }

    Index count_missing(int feature) const {
        return std::count_if(table_.missing.begin(), table_.missing.end(), [&](const auto& row) {
            return std::find(row.begin(), row.end(), feature) != row.end();
        });
    }

    void add_text(const ColumnFeatures& column) {
        const Index n = table_.X.rows();
        if (column.members.size() == 1) {
            freeze(column, "the same in every row");
        } else if (n >= kLeastRows && static_cast<Index>(column.members.size()) == n) {
            freeze(column, "different in every row, perhaps an identifier");
        } else {
            if (cost_.empty()) {
                remark(
                    "switch_cost: instead of a number, a list gives pairs of categories their "
                    "prices, [{'from': 'a', 'to': 'b', 'cost': 2}, ..]; null: no such switch");
            }
            cost_[column.name] = 1.0;
        }
    }

    /// Of one column; the order of those of a compressed one does not matter.
    Vector values_of(Index column) {
        if (!table_.X.is_sparse()) return table_.X.dense().col(column);
        if (present_.empty()) {
            present_.resize(static_cast<std::size_t>(table_.X.cols()));
            for (Index i = 0; i < table_.X.rows(); ++i) {
                table_.X.row(i).for_each([&](Index l, double value) {
                    present_[static_cast<std::size_t>(l)].push_back(value);
                });
            }
        }
        const std::vector<double>& present = present_[static_cast<std::size_t>(column)];
        Vector values = Vector::Zero(table_.X.rows());
        std::copy(present.begin(), present.end(), values.begin());
        return values;
    }

    void add_numbers(const ColumnFeatures& column) {
        const Vector values = values_of(column.first);
        const Index n = values.size();
        const double least = values.minCoeff();
        const double greatest = values.maxCoeff();
        if (least == greatest) {
            freeze(column, "the same in every row");
            return;
        }
        const bool is_integer = std::all_of(
            values.begin(), values.end(), [](double value) { return value == std::floor(value); });
        const std::set<double> different(values.begin(), values.end());
        if (is_integer && n >= kLeastRows && static_cast<Index>(different.size()) == n) {
            freeze(column, "a different integer in every row, perhaps an identifier");
            return;
        }
        if (is_integer) integer_.push_back(column.name);
        const Scaler scaler = Scaler::fit(Scaling::Standard, values);
        if (!counts_) scale_[column.name] = rounded(scaler.scale()[0]);
        bounds_[column.name] = Json::array({least, greatest});
    }

    const FeatureData& table_;
    const TableCoding& coding_;
    bool counts_;
    /// The numbers of each compressed column.
    std::vector<std::vector<double>> present_;
    Json fields_;
    Json frozen_ = Json::array();
    Json integer_ = Json::array();
    Json scale_ = Json::object();
    Json bounds_ = Json::object();
    Json cost_ = Json::object();
};

}  // namespace

std::string propose_attack_model(const FeatureData& table, const TableCoding& coding, Norm norm) {
    return Proposal(table, coding, norm).text();
}

}  // namespace redoubt

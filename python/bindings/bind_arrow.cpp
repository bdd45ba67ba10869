// Tables of other packages, through Arrow's C data interface: nothing is linked or imported.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <stdexcept>

#include "arrow_column.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using arrow::Array;
using arrow::ColumnView;
using arrow::Kind;
using arrow::Owned;
using arrow::Schema;
using arrow::Stream;
using Integers = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>;

template <typename Struct>
Struct& held_by(const nb::object& capsule, const char* name) {
    void* const found = PyCapsule_GetPointer(capsule.ptr(), name);
    if (found == nullptr) throw nb::python_error();
    return *static_cast<Struct*>(found);
}

/// The record batches of a table, kept alive.
class ArrowTable {
public:
    static ArrowTable of_stream(const nb::object& capsule) {
        Owned<Stream> stream(held_by<Stream>(capsule, "arrow_array_stream"));
        if (stream.is_empty()) throw nb::value_error("X: this Arrow stream was read before");
        const nb::gil_scoped_release release;  // the source may run Python of its own
        const auto check = [&](int code) {
            if (code == 0) return;
            const char* const text = stream->get_last_error(stream.get());
            throw std::runtime_error("X: the Arrow stream ended early: " +
                                     std::string(text == nullptr ? "no reason given" : text));
        };
        ArrowTable table;
        Schema schema{};
        check(stream->get_schema(stream.get(), &schema));
        table.schema_ = Owned<Schema>(schema);
        for (;;) {
            Array array{};
            check(stream->get_next(stream.get(), &array));
            Owned<Array> owned(array);
            if (owned.is_empty()) break;
            table.batches_.push_back(std::move(owned));
        }
        table.check();
        return table;
    }

    static ArrowTable of_array(const nb::object& schema, const nb::object& array) {
        ArrowTable table;
        table.schema_ = Owned<Schema>(held_by<Schema>(schema, "arrow_schema"));
        table.batches_.emplace_back(held_by<Array>(array, "arrow_array"));
        table.check();
        return table;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (Index c = 0; c < schema_->n_children; ++c) {
            const char* const name = schema_->children[c]->name;
            names.emplace_back(name == nullptr ? "" : name);
        }
        return names;
    }

    Index n_rows() const {
        Index n = 0;
        for (const Owned<Array>& batch : batches_) n += batch->length;
        return n;
    }

    /// "number", "text" or, for what is neither, Arrow's name of the type.
    std::string kind(Index c) const {
        switch (arrow::kind_of(type(c))) {
            case Kind::Text:
                return "text";
            case Kind::Other:
                return type(c).format;
            default:
                return "number";
        }
    }

    /// Numbers row by row; NaN where null.
    Matrix numbers(const std::vector<Index>& columns) const {
        for (Index c : columns) check_numbers(c);
        Matrix values(n_rows(), static_cast<Index>(columns.size()));
        Index row = 0;
        for (const Owned<Array>& batch : batches_) {
            // A few rows of all columns at a time: they stay in the cache.
            constexpr Index kTile = 512;
            for (Index start = 0; start < batch->length; start += kTile) {
                const Index n = std::min<Index>(kTile, batch->length - start);
                double* const out = values.data() + (row + start) * values.cols();
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    view(columns[i], *batch).numbers(start, n, out + i, values.cols());
                }
            }
            row += batch->length;
        }
        return values;
    }

    /// Numbers as an array (of integers where there is no null), texts and what is mixed with null
    /// as a list.
    nb::object column(Index c) const {
        const Kind kind = arrow::kind_of(type(c));
        if (kind == Kind::Text) return texts(c);
        check_numbers(c);
        if (has_nulls(c)) return kind == Kind::Bool ? truths(c) : nb::cast(Vector(numbers({c})));
        if (kind == Kind::Bool) return truths(c);
        return kind == Kind::Integer && type(c).format != std::string_view("L")
                   ? nb::cast(integers(c))
                   : nb::cast(Vector(numbers({c})));
    }

private:
    void check() const {
        if (std::string_view(schema_->format) != "+s") {
            throw nb::type_error("X: expected a table or record batch, got one Arrow array");
        }
        for (const Owned<Array>& batch : batches_) {
            if (batch->n_children != schema_->n_children) {
                throw std::invalid_argument("X: an Arrow batch does not fit its schema");
            }
            const void* const valid = batch->n_buffers > 0 ? batch->buffers[0] : nullptr;
            if (batch->null_count != 0 && valid != nullptr) {
                throw nb::value_error("X: expected rows, got an Arrow array of structs with nulls");
            }
        }
    }

    const Schema& type(Index c) const {
        if (c < 0 || c >= schema_->n_children) throw nb::index_error("no such column");
        return *schema_->children[c];
    }

    void check_numbers(Index c) const {
        const Kind kind = arrow::kind_of(type(c));
        if (kind != Kind::Text && kind != Kind::Other) return;
        const std::string got =
            kind == Kind::Text ? "texts" : "the Arrow type '" + std::string(type(c).format) + "'";
        throw nb::value_error(("X: column '" + std::string(type(c).name) +
                               "': expected numbers, got " + got + "; convert it first")
                                  .c_str());
    }

    ColumnView view(Index c, const Array& batch) const {
        return {type(c), *batch.children[c], batch.offset};
    }

    bool has_nulls(Index c) const {
        return std::any_of(batches_.begin(), batches_.end(),
                           [&](const Owned<Array>& batch) { return view(c, *batch).has_nulls(); });
    }

    Integers integers(Index c) const {
        Integers values(n_rows());
        Index next = 0;
        for (const Owned<Array>& batch : batches_) {
            const ColumnView entries = view(c, *batch);
            for (Index i = 0; i < batch->length; ++i) values[next++] = entries.integer(i);
        }
        return values;
    }

    nb::object truths(Index c) const {
        nb::list values;
        for (const Owned<Array>& batch : batches_) {
            const ColumnView entries = view(c, *batch);
            for (Index i = 0; i < batch->length; ++i) {
                values.append(entries.is_null(i) ? nb::object(nb::none())
                                                 : nb::object(nb::bool_(entries.integer(i) != 0)));
            }
        }
        return values;
    }

    nb::object texts(Index c) const {
        nb::list values;
        for (const Owned<Array>& batch : batches_) {
            const ColumnView entries = view(c, *batch);
            const auto text = [&](const ColumnView& from, Index i) {
                if (from.is_null(i)) return nb::object(nb::none());
                const std::string_view found = from.text(i);
                return nb::object(nb::str(found.data(), found.size()));
            };
            if (!entries.has_dictionary()) {
                for (Index i = 0; i < batch->length; ++i) values.append(text(entries, i));
                continue;
            }
            const ColumnView words = entries.dictionary();
            std::vector<nb::object> known;  // each text once
            for (Index i = 0; i < entries.dictionary_size(); ++i) known.push_back(text(words, i));
            for (Index i = 0; i < batch->length; ++i) {
                values.append(entries.is_null(i)
                                  ? nb::object(nb::none())
                                  : known.at(static_cast<std::size_t>(entries.code(i))));
            }
        }
        return values;
    }

    Owned<Schema> schema_;
    std::vector<Owned<Array>> batches_;
};

}  // namespace

void bind_arrow(nb::module_& module) {
    nb::class_<ArrowTable>(module, "ArrowTable", "Columns of a table that speaks Arrow.")
        .def_static("of_stream", &ArrowTable::of_stream, "capsule"_a,
                    "All batches of an `arrow_array_stream`, which is used up.")
        .def_static("of_array", &ArrowTable::of_array, "schema"_a, "array"_a,
                    "A record batch: capsules `arrow_schema` and `arrow_array`.")
        .def_prop_ro("names", &ArrowTable::names)
        .def_prop_ro("n_rows", &ArrowTable::n_rows)
        .def("kind", &ArrowTable::kind, "column"_a,
             "'number', 'text' or, for what is neither, Arrow's name of the type.")
        .def("numbers", &ArrowTable::numbers, "columns"_a,
             "These columns as an array, NaN where null.")
        .def("column", &ArrowTable::column, "column"_a,
             "One column: an array of numbers, or a list of texts or booleans and None.");
}

}  // namespace redoubt::python

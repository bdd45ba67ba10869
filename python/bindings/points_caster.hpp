#pragma once

/// Points from Python: a NumPy array, or a CSR matrix or array of SciPy, without a copy. (Arrays
/// that are not float64 or not in C order are converted first.)

#include <nanobind/eigen/dense.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>

#include "redoubt/points.hpp"

namespace nanobind::detail {

template <>
struct type_caster<redoubt::PointsRef> {
    static constexpr auto Name = const_name("numpy.ndarray | scipy.sparse.csr_array");
    template <typename T>
    using Cast = redoubt::PointsRef;
    template <typename T>
    static constexpr bool can_cast() {
        return true;
    }

    bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
        try {
            if (hasattr(source, "indptr"))
                return load_sparse<std::int32_t>(source) || load_sparse<std::int64_t>(source);
        } catch (const std::exception&) {
            return false;
        }
        if (!dense_.from_python(source, flags, cleanup)) return false;
        held_.emplace(dense_);
        return true;
    }

    operator redoubt::PointsRef() {
        if (sparse_) return redoubt::PointsRef(*sparse_);
        return redoubt::PointsRef(held_->ref);
    }

private:
    using DenseCaster = make_caster<redoubt::MatrixRef>;
    template <typename Number>
    using Array = ndarray<const Number, ndim<1>, c_contig, device::cpu>;

    /// A reference that owns a converted copy must be made where it stays.
    struct Held {
        explicit Held(DenseCaster& caster) : ref(caster.operator redoubt::MatrixRef()) {}
        redoubt::MatrixRef ref;
    };

    template <typename Column>
    bool load_sparse(handle source) {
        Array<Column> starts;
        Array<Column> columns;
        Array<double> values;
        // As they are: numbers that were converted would be gone by the time they are read.
        if (!try_cast(source.attr("indptr"), starts, false) ||
            !try_cast(source.attr("indices"), columns, false) ||
            !try_cast(source.attr("data"), values, false))
            return false;
        const auto shape = cast<nanobind::tuple>(source.attr("shape"));
        if (shape.size() != 2) return false;
        const auto rows = cast<redoubt::Index>(shape[0]);
        const auto cols = cast<redoubt::Index>(shape[1]);
        const auto n_stored = static_cast<redoubt::Index>(values.size());
        if (static_cast<redoubt::Index>(starts.size()) != rows + 1 ||
            static_cast<redoubt::Index>(columns.size()) != n_stored)
            return false;
        if (starts.data()[0] != 0 || starts.data()[rows] != n_stored) return false;
        sparse_.emplace(rows, cols, starts.data(), columns.data(), values.data());
        kept_[0] = source.attr("indptr");
        kept_[1] = source.attr("indices");
        kept_[2] = source.attr("data");
        return true;
    }

    DenseCaster dense_;
    std::optional<Held> held_;
    std::optional<redoubt::SparseView> sparse_;
    object kept_[3];
};

}  // namespace nanobind::detail

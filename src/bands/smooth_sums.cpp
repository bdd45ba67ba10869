#include <algorithm>

#include "bands/exact_sums.hpp"
#include "core/parallel.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

class SmoothPiece {
public:
    SmoothPiece(const BandRows& rows, const SmoothQuery& query)
        : rows_(rows),
          query_(query),
          n_(query.w.size()),
          inverse_units_(query.units.cwiseInverse()),
          slope_(n_ + 2) {
        const auto count = static_cast<std::size_t>(SmoothQuery::n_sums(n_));
        sums_.high.assign(count, 0);
        sums_.low.assign(count, 0);
    }

    void add(Index j) {
        const double c = rows_.weights[j];
        if (!(c > 0.0)) return;
        const double* x = rows_.X.data() + j * rows_.X.outerStride();
        const double y = rows_.y[j];
        const double r = rows_.radii[j];
        const double t =
            1.0 - y * (kernels::dot(query_.w.data(), x, n_) + query_.b) + r * query_.size;
        if (!(t > 0.0)) return;
        const double a = std::min(t / query_.width, 1.0);
        add_one(0, c * t);
        add_one(1, c * (t * a - 0.5 * query_.width * a * a));
        const Index first = y > 0.0 ? 2 + (n_ + 2) : 2;
        add_one(first, c * a);
        add_one(first + 1, c * a * r);
        for (Index l = 0; l < n_; ++l) add_one(first + 2 + l, c * a * x[l]);
        if (a < 1.0) add_square(x, y, r, c);
    }

    SmoothSums& result() { return sums_; }

private:
    void add_one(Index k, double value) {
        const auto place = static_cast<std::size_t>(k);
        add_multiple(value * inverse_units_[k], sums_.high[place], sums_.low[place]);
    }

    void add_square(const double* x, double y, double r, double c) {
        for (Index l = 0; l < n_; ++l) slope_[l] = -y * x[l];
        slope_[n_] = -y;
        slope_[n_ + 1] = r;
        Index k = 2 + 2 * (n_ + 2);
        for (Index i = 0; i < n_ + 2; ++i) {
            const double factor = c * slope_[i];
            for (Index l = i; l < n_ + 2; ++l, ++k) add_one(k, factor * slope_[l]);
        }
    }

    const BandRows& rows_;
    const SmoothQuery& query_;
    Index n_;
    Vector inverse_units_;
    Vector slope_;
    SmoothSums sums_;
};

}  // namespace

Index SmoothQuery::n_sums(Index n_features) {
    const Index k = n_features + 2;
    return 2 + 2 * k + k * (k + 1) / 2;
}

void SmoothQuery::check(Index n_features) const {
    check_length("w", w.size(), n_features);
    check_length("units", units.size(), n_sums(n_features));
    for (Index k = 0; k < units.size(); ++k)
        check_value(is_unit(units[k]), "units", "positive numbers", units[k]);
    check_value(width > 0.0, "width", "a positive number", width);
}

SmoothSums summarise_smooth(const BandRows& rows, const SmoothQuery& query, int n_threads) {
    query.check(rows.X.cols());
    check_rows(rows);
    const auto append = [](SmoothSums& all, const SmoothSums& part) {
        for (std::size_t k = 0; k < all.high.size(); ++k) {
            all.high[k] += part.high[k];
            all.low[k] += part.low[k];
        }
    };
    return summarise_rows<SmoothPiece>(rows, query, n_threads, append);
}

}  // namespace redoubt

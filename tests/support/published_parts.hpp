#pragma once

/// A published data set, split and standardised as published.

#include <string>

#include "redoubt/bundled_data.hpp"
#include "redoubt/scaler.hpp"

namespace redoubt::testing {

struct PublishedParts {
    Matrix train_X;
    Vector train_y;
    Matrix test_X;
    Vector test_y;
};

inline PublishedParts published_parts(const std::string& name) {
    const Dataset data = load_bundled(name);
    const Split split = published_split(name);
    const Dataset train = data.subset(split.train);
    const Dataset test = data.subset(split.test);
    const Scaler scaler = Scaler::fit(Scaling::Standard, train.X);
    return {scaler.transform(train.X.dense()), train.y, scaler.transform(test.X.dense()), test.y};
}

}  // namespace redoubt::testing

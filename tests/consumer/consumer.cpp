// Trains a plane on four points of the real line whose answer is known: w = 1, b = 0.

#include <cmath>
#include <iostream>

#include "redoubt/svm.hpp"
#include "redoubt/version.hpp"

int main() {
    redoubt::Matrix X(4, 1);
    X << -3.0, -1.0, 1.0, 4.0;
    redoubt::Vector y(4);
    y << -1.0, -1.0, 1.0, 1.0;

    redoubt::SvmSettings settings;
    settings.C = 10.0;
    const redoubt::SvmResult result = redoubt::train_svm({X, y}, settings);
    const double w = result.plane.w[0];
    const double b = result.plane.b;
    std::cout << "redoubt " << redoubt::kVersion << ": " << redoubt::to_string(result.status)
              << ", w = " << w << ", b = " << b << '\n';

    const bool correct =
        result.status == redoubt::Status::Optimal && std::abs(w - 1.0) < 1e-6 && std::abs(b) < 1e-6;
    return correct ? 0 : 1;
}

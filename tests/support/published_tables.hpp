#pragma once

/// The accuracy tables of the source paper, as data/published/accuracy.csv has them.

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace redoubt::testing {

struct PublishedCell {
    std::string dataset;
    std::string norm;
    std::string method;
    double defense_radius = 0.0;
    double attack_radius = 0.0;
    double accuracy_percent = 0.0;
};

inline std::vector<PublishedCell> published_cells() {
    std::ifstream file(REDOUBT_DATA "/published/accuracy.csv");
    if (!file) throw std::runtime_error("data/published/accuracy.csv is missing");
    std::vector<PublishedCell> cells;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        PublishedCell cell;
        std::string number;
        std::getline(fields, cell.dataset, ',');
        std::getline(fields, cell.norm, ',');
        std::getline(fields, cell.method, ',');
        for (double* value : {&cell.defense_radius, &cell.attack_radius, &cell.accuracy_percent}) {
            std::getline(fields, number, ',');
            *value = std::stod(number);
        }
        cells.push_back(cell);
    }
    return cells;
}

}  // namespace redoubt::testing

#include "reference/highs_solver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "redoubt/error.hpp"
#include "redoubt/highs.hpp"

namespace redoubt {

namespace {

using HighsInt = int;

/// The callback writes one field, the first; HiGHS promises that it stays first.
struct CallbackDataIn {
    int user_interrupt;
};
using Callback = void (*)(int, const char*, const void*, CallbackDataIn*, void*);

/// A function of the library, whatever its type; null when it has none of that name.
struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
        return reinterpret_cast<Function*>(address);
    }
};

/// The functions of the C interface that we call, as HiGHS 1.7 and later have them.
struct HighsApi {
    explicit HighsApi(void* handle) : library(handle) {}

    Symbol find(const char* name) {
        void* address = dlsym(library, name);
        if (address == nullptr && missing.empty()) missing = name;
        return {address};
    }

    void* library;
    std::string missing{};
    const char* (*version)() = find("Highs_version");
    HighsInt (*sizeof_int)(const void*) = find("Highs_getSizeofHighsInt");
    void* (*create)() = find("Highs_create");
    void (*destroy)(void*) = find("Highs_destroy");
    HighsInt (*set_bool)(void*, const char*, HighsInt) = find("Highs_setBoolOptionValue");
    HighsInt (*set_int)(void*, const char*, HighsInt) = find("Highs_setIntOptionValue");
    HighsInt (*set_double)(void*, const char*, double) = find("Highs_setDoubleOptionValue");
    HighsInt (*set_string)(void*, const char*, const char*) = find("Highs_setStringOptionValue");
    HighsInt (*pass_mip)(void*, HighsInt, HighsInt, HighsInt, HighsInt, HighsInt, double,
                         const double*, const double*, const double*, const double*, const double*,
                         const HighsInt*, const HighsInt*, const double*,
                         const HighsInt*) = find("Highs_passMip");
    HighsInt (*run)(void*) = find("Highs_run");
    HighsInt (*model_status)(const void*) = find("Highs_getModelStatus");
    HighsInt (*solution)(const void*, double*, double*, double*,
                         double*) = find("Highs_getSolution");
    HighsInt (*int_info)(const void*, const char*, HighsInt*) = find("Highs_getIntInfoValue");
    HighsInt (*int64_info)(const void*, const char*,
                           std::int64_t*) = find("Highs_getInt64InfoValue");
    HighsInt (*double_info)(const void*, const char*, double*) = find("Highs_getDoubleInfoValue");
    HighsInt (*set_callback)(void*, Callback, void*) = find("Highs_setCallback");
    HighsInt (*start_callback)(void*, int) = find("Highs_startCallback");

    /// What is wrong with the library, or nothing.
    std::string fault() const {
        if (!missing.empty())
            return "it has no function " + missing + " (HiGHS 1.7 or later is needed)";
        const std::unique_ptr<void, void (*)(void*)> highs(create(), destroy);
        return sizeof_int(highs.get()) == sizeof(HighsInt) ? ""
                                                           : "it is built with 64-bit integers";
    }
};

// One library for the process.
std::mutex highs_mutex;
std::string highs_path;
std::unique_ptr<HighsApi> highs_api;

/// Loads it from there. Otherwise `problem` says why not.
void try_path(const std::string& path, std::string* problem) {
    // Never closed: HiGHS keeps state per thread that must outlive every thread.
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!problem->empty()) *problem += "; ";
    if (handle == nullptr) {
        const char* error = dlerror();
        *problem += error != nullptr ? error : path + ": cannot be loaded";
        return;
    }
    auto api = std::make_unique<HighsApi>(handle);
    const std::string fault = api->fault();
    if (fault.empty()) highs_api = std::move(api);
    *problem += path + ": " + fault;
}

/// Null when it cannot be loaded; `problem` then says why. A failure is not remembered: a path may
/// be set later.
const HighsApi* load_highs(std::string* problem) {
    const std::lock_guard<std::mutex> lock(highs_mutex);
    std::vector<std::string> paths{highs_path, "libhighs.so.1", "libhighs.so"};
    // A path that the user typed and that does not work should not be replaced by another.
    const char* given = std::getenv("REDOUBT_HIGHS");
    if (given != nullptr && *given != '\0') paths = {given};
    for (const std::string& path : paths) {
        if (highs_api == nullptr && !path.empty()) try_path(path, problem);
    }
    return highs_api.get();
}

const HighsApi& loaded_highs() {
    std::string problem;
    const HighsApi* api = load_highs(&problem);
    if (api != nullptr) return *api;
    throw InvalidInput("solver",
                       "HiGHS to be installed for 'mip' (pip install highspy, or Debian's "
                       "libhighs-dev, or its library's path in REDOUBT_HIGHS)",
                       "no HiGHS: " + problem);
}

}  // namespace

void set_highs_library(const std::string& path) {
    const std::lock_guard<std::mutex> lock(highs_mutex);
    highs_path = path;
}

std::optional<std::string> highs_version() {
    std::string problem;
    const HighsApi* api = load_highs(&problem);
    if (api == nullptr) return std::nullopt;
    return std::string(api->version());
}

namespace reference {

namespace {

// Values of the C interface.
constexpr HighsInt kError = -1;
constexpr HighsInt kOk = 0;
constexpr HighsInt kRowwise = 2;
constexpr HighsInt kStatusInfeasible = 8;
constexpr HighsInt kStatusOptimal = 7;
constexpr HighsInt kStatusTimeLimit = 13;
constexpr HighsInt kStatusIterationLimit = 14;
constexpr HighsInt kStatusSolutionLimit = 16;  // the node limit is reported so
constexpr HighsInt kStatusInterrupt = 17;
constexpr HighsInt kPointFeasible = 2;
constexpr int kCallbackSimplex = 1;
constexpr int kCallbackMip = 6;

void look_at_stop_flag(int, const char*, const void*, CallbackDataIn* in, void* stop) {
    if (in == nullptr) return;
    const auto* flag = static_cast<const std::atomic<bool>*>(stop);
    if (flag->load(std::memory_order_relaxed)) in->user_interrupt = 1;
}

void set_options(const HighsApi& api, void* highs, const PointLimits& limits,
                 std::int64_t nodes_before) {
    api.set_bool(highs, "output_flag", 0);
    api.set_int(highs, "threads", 1);
    api.set_string(highs, "parallel", "off");
    for (const char* name : {"mip_rel_gap", "mip_abs_gap", "mip_feasibility_tolerance",
                             "primal_feasibility_tolerance", "dual_feasibility_tolerance"})
        api.set_double(highs, name, kTolerance);
    const std::int64_t nodes = std::max<std::int64_t>(0, limits.max_nodes - nodes_before);
    if (nodes < std::numeric_limits<HighsInt>::max()) {
        api.set_int(highs, "mip_max_nodes", static_cast<HighsInt>(nodes));
    }
    if (limits.deadline != Clock::time_point::max()) {
        const std::chrono::duration<double> left = limits.deadline - Clock::now();
        api.set_double(highs, "time_limit", std::max(0.0, left.count()));
    }
    if (limits.stop != nullptr) {
        // The flag is only read; the interface has no const.
        void* stop = const_cast<std::atomic<bool>*>(limits.stop);
        api.set_callback(highs, look_at_stop_flag, stop);
        api.start_callback(highs, kCallbackSimplex);
        api.start_callback(highs, kCallbackMip);
    }
}

HighsInt pass(const HighsApi& api, void* highs, const Program& program) {
    std::vector<double> cost, lower, upper, row_lower, row_upper;
    std::vector<HighsInt> integer;
    for (const Column& column : program.columns()) {
        cost.push_back(column.cost);
        lower.push_back(column.lower);
        upper.push_back(column.upper);
        integer.push_back(column.integer ? 1 : 0);
    }
    for (const Row& row : program.rows()) {
        row_lower.push_back(row.lower);
        row_upper.push_back(row.upper);
    }
    return api.pass_mip(highs, program.n_columns(), program.n_rows(),
                        static_cast<HighsInt>(program.entry_value().size()), kRowwise,
                        program.sense() == Sense::Minimize ? 1 : -1, 0.0, cost.data(), lower.data(),
                        upper.data(), row_lower.data(), row_upper.data(),
                        program.row_start().data(), program.entry_column().data(),
                        program.entry_value().data(), integer.data());
}

Status status_of(HighsInt model_status) {
    if (model_status == kStatusOptimal || model_status == kStatusInfeasible) return Status::Optimal;
    if (model_status == kStatusTimeLimit) return Status::TimeLimit;
    if (model_status == kStatusInterrupt) return Status::Interrupted;
    const bool is_limit =
        model_status == kStatusIterationLimit || model_status == kStatusSolutionLimit;
    return is_limit ? Status::NodeLimit : Status::NumericalFailure;
}

}  // namespace

void require_highs() {
    loaded_highs();
}

ProgramSolution solve(const Program& program, const PointLimits& limits,
                      std::int64_t nodes_before) {
    const HighsApi& api = loaded_highs();
    ProgramSolution answer;
    answer.bound = program.sense() == Sense::Minimize ? -HUGE_VAL : HUGE_VAL;
    PointLimits now = limits;
    now.n_calls = 0;
    if (now.reached(nodes_before, &answer.status)) return answer;
    const std::unique_ptr<void, void (*)(void*)> highs(api.create(), api.destroy);
    set_options(api, highs.get(), limits, nodes_before);
    if (pass(api, highs.get(), program) == kError) return answer;
    if (api.run(highs.get()) == kError) {
        // HiGHS fixes its number of threads on first use in a thread; somebody else may have come
        // first with another number. 0 takes what is there.
        api.set_int(highs.get(), "threads", 0);
        if (api.run(highs.get()) == kError) return answer;
    }
    const HighsInt model_status = api.model_status(highs.get());
    answer.status = status_of(model_status);
    answer.infeasible = model_status == kStatusInfeasible;
    HighsInt point = 0;
    api.int_info(highs.get(), "primal_solution_status", &point);
    if (point == kPointFeasible) {
        answer.x.resize(program.n_columns());
        Vector dual(program.n_columns()), row(program.n_rows()), row_dual(program.n_rows());
        api.solution(highs.get(), answer.x.data(), dual.data(), row.data(), row_dual.data());
        api.double_info(highs.get(), "objective_function_value", &answer.objective);
    }
    if (std::any_of(program.columns().begin(), program.columns().end(),
                    [](const Column& column) { return column.integer; })) {
        api.int64_info(highs.get(), "mip_node_count", &answer.n_nodes);
        answer.n_nodes = std::max<std::int64_t>(0, answer.n_nodes);
        // Before the first point HiGHS may report a bound that it never computed.
        double bound = answer.bound;
        if (answer.has_point() && api.double_info(highs.get(), "mip_dual_bound", &bound) == kOk) {
            answer.bound = bound;
        }
    } else if (answer.status == Status::Optimal && answer.has_point()) {
        answer.bound = answer.objective;
    }
    return answer;
}

}  // namespace reference

}  // namespace redoubt

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

/// The functions of the C interface that we call, as HiGHS 1.7 and later have them.
struct HighsApi {
    const char* (*version)() = nullptr;
    HighsInt (*sizeof_int)(const void*) = nullptr;
    void* (*create)() = nullptr;
    void (*destroy)(void*) = nullptr;
    HighsInt (*set_bool)(void*, const char*, HighsInt) = nullptr;
    HighsInt (*set_int)(void*, const char*, HighsInt) = nullptr;
    HighsInt (*set_double)(void*, const char*, double) = nullptr;
    HighsInt (*set_string)(void*, const char*, const char*) = nullptr;
    HighsInt (*pass_mip)(void*, HighsInt, HighsInt, HighsInt, HighsInt, HighsInt, double,
                         const double*, const double*, const double*, const double*, const double*,
                         const HighsInt*, const HighsInt*, const double*,
                         const HighsInt*) = nullptr;
    HighsInt (*run)(void*) = nullptr;
    HighsInt (*model_status)(const void*) = nullptr;
    HighsInt (*solution)(const void*, double*, double*, double*, double*) = nullptr;
    HighsInt (*int_info)(const void*, const char*, HighsInt*) = nullptr;
    HighsInt (*int64_info)(const void*, const char*, std::int64_t*) = nullptr;
    HighsInt (*double_info)(const void*, const char*, double*) = nullptr;
    HighsInt (*set_callback)(void*, Callback, void*) = nullptr;
    HighsInt (*start_callback)(void*, int) = nullptr;
};

template <class Function>
void find(void* library, const char* name, Function* function, std::string* missing) {
    void* address = dlsym(library, name);
    if (address == nullptr && missing->empty()) *missing = name;
    *function = reinterpret_cast<Function>(address);
}

/// Returns what is wrong, or nothing.
std::string fill(void* library, HighsApi* api) {
    std::string missing;
    find(library, "Highs_version", &api->version, &missing);
    find(library, "Highs_getSizeofHighsInt", &api->sizeof_int, &missing);
    find(library, "Highs_create", &api->create, &missing);
    find(library, "Highs_destroy", &api->destroy, &missing);
    find(library, "Highs_setBoolOptionValue", &api->set_bool, &missing);
    find(library, "Highs_setIntOptionValue", &api->set_int, &missing);
    find(library, "Highs_setDoubleOptionValue", &api->set_double, &missing);
    find(library, "Highs_setStringOptionValue", &api->set_string, &missing);
    find(library, "Highs_passMip", &api->pass_mip, &missing);
    find(library, "Highs_run", &api->run, &missing);
    find(library, "Highs_getModelStatus", &api->model_status, &missing);
    find(library, "Highs_getSolution", &api->solution, &missing);
    find(library, "Highs_getIntInfoValue", &api->int_info, &missing);
    find(library, "Highs_getInt64InfoValue", &api->int64_info, &missing);
    find(library, "Highs_getDoubleInfoValue", &api->double_info, &missing);
    find(library, "Highs_setCallback", &api->set_callback, &missing);
    find(library, "Highs_startCallback", &api->start_callback, &missing);
    if (!missing.empty())
        return "it has no function " + missing + " (HiGHS 1.7 or later is needed)";
    void* highs = api->create();
    const HighsInt size = api->sizeof_int(highs);
    api->destroy(highs);
    if (size != static_cast<HighsInt>(sizeof(HighsInt))) return "it is built with 64-bit integers";
    return {};
}

class HighsLibrary {
public:
    static HighsLibrary& instance() {
        static HighsLibrary library;
        return library;
    }

    void set_path(const std::string& path) {
        const std::lock_guard<std::mutex> lock(mutex_);
        path_ = path;
    }

    /// Null when it cannot be loaded; `problem` then says why. A failure is not remembered: a path
    /// may be set later.
    const HighsApi* load(std::string* problem) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (api_ != nullptr) return api_.get();
        problem->clear();
        for (const std::string& candidate : candidates()) {
            if (try_path(candidate, problem)) return api_.get();
        }
        return nullptr;
    }

private:
    std::vector<std::string> candidates() const {
        const char* given = std::getenv("REDOUBT_HIGHS");
        // A path that the user typed and that does not work should not be replaced by another.
        if (given != nullptr && *given != '\0') return {given};
        std::vector<std::string> names;
        if (!path_.empty()) names.push_back(path_);
        names.insert(names.end(), {"libhighs.so.1", "libhighs.so"});
        return names;
    }

    bool try_path(const std::string& path, std::string* problem) {
        // Never closed: HiGHS keeps state per thread that must outlive every thread.
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        std::string reason;
        auto api = std::make_unique<HighsApi>();
        if (library == nullptr) {
            const char* error = dlerror();
            reason = error != nullptr ? error : path + ": cannot be loaded";
        } else {
            reason = fill(library, api.get());
            if (reason.empty()) {
                api_ = std::move(api);
                return true;
            }
            reason = path + ": " + reason;
        }
        if (!problem->empty()) *problem += "; ";
        *problem += reason;
        return false;
    }

    std::mutex mutex_;
    std::string path_;
    std::unique_ptr<HighsApi> api_;
};

const HighsApi& loaded_highs() {
    std::string problem;
    const HighsApi* api = HighsLibrary::instance().load(&problem);
    if (api != nullptr) return *api;
    throw InvalidInput("solver",
                       "HiGHS to be installed for 'mip' (pip install highspy, or Debian's "
                       "libhighs-dev, or its library's path in REDOUBT_HIGHS)",
                       "no HiGHS: " + problem);
}

}  // namespace

void set_highs_library(const std::string& path) {
    HighsLibrary::instance().set_path(path);
}

std::optional<std::string> highs_version() {
    std::string problem;
    const HighsApi* api = HighsLibrary::instance().load(&problem);
    if (api == nullptr) return std::nullopt;
    return std::string(api->version());
}

namespace mip {

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

/// One HiGHS object, destroyed on the way out.
class Highs {
public:
    explicit Highs(const HighsApi& api) : api_(api), object_(api.create()) {}
    Highs(const Highs&) = delete;
    Highs& operator=(const Highs&) = delete;
    ~Highs() { api_.destroy(object_); }

    void* get() const noexcept { return object_; }

private:
    const HighsApi& api_;
    void* object_;
};

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
    api.set_double(highs, "mip_rel_gap", kGap);
    api.set_double(highs, "mip_abs_gap", kGap);
    api.set_double(highs, "mip_feasibility_tolerance", kFeasibility);
    api.set_double(highs, "primal_feasibility_tolerance", kFeasibility);
    api.set_double(highs, "dual_feasibility_tolerance", kFeasibility);
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

HighsInt pass(const HighsApi& api, void* highs, const MipModel& model) {
    std::vector<double> cost, lower, upper, row_lower, row_upper;
    std::vector<HighsInt> integer;
    for (const Column& column : model.columns()) {
        cost.push_back(column.cost);
        lower.push_back(column.lower);
        upper.push_back(column.upper);
        integer.push_back(column.integer ? 1 : 0);
    }
    for (const Row& row : model.rows()) {
        row_lower.push_back(row.lower);
        row_upper.push_back(row.upper);
    }
    return api.pass_mip(highs, model.n_columns(), model.n_rows(),
                        static_cast<HighsInt>(model.entry_value().size()), kRowwise,
                        model.sense() == Sense::Minimize ? 1 : -1, 0.0, cost.data(), lower.data(),
                        upper.data(), row_lower.data(), row_upper.data(), model.row_start().data(),
                        model.entry_column().data(), model.entry_value().data(), integer.data());
}

Status status_of(HighsInt model_status) {
    switch (model_status) {
        case kStatusOptimal:
        case kStatusInfeasible:
            return Status::Optimal;
        case kStatusTimeLimit:
            return Status::TimeLimit;
        case kStatusIterationLimit:
        case kStatusSolutionLimit:
            return Status::NodeLimit;
        case kStatusInterrupt:
            return Status::Interrupted;
        default:
            return Status::NumericalFailure;
    }
}

bool has_integers(const MipModel& model) {
    return std::any_of(model.columns().begin(), model.columns().end(),
                       [](const Column& column) { return column.integer; });
}

}  // namespace

void require_highs() {
    loaded_highs();
}

MipSolution solve(const MipModel& model, const PointLimits& limits, std::int64_t nodes_before) {
    const HighsApi& api = loaded_highs();
    MipSolution answer;
    answer.bound = model.sense() == Sense::Minimize ? -HUGE_VAL : HUGE_VAL;
    PointLimits now = limits;
    now.n_calls = 0;
    if (now.struck(nodes_before, &answer.status)) return answer;
    const Highs highs(api);
    set_options(api, highs.get(), limits, nodes_before);
    if (pass(api, highs.get(), model) == kError) return answer;
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
        Vector x(model.n_columns()), dual(model.n_columns());
        Vector row(model.n_rows()), row_dual(model.n_rows());
        api.solution(highs.get(), x.data(), dual.data(), row.data(), row_dual.data());
        answer.x = std::move(x);
        answer.has_point = true;
        api.double_info(highs.get(), "objective_function_value", &answer.objective);
    }
    if (has_integers(model)) {
        api.int64_info(highs.get(), "mip_node_count", &answer.n_nodes);
        answer.n_nodes = std::max<std::int64_t>(0, answer.n_nodes);
        // Before the first point HiGHS may report a bound that it never computed.
        double bound = answer.bound;
        if (answer.has_point && api.double_info(highs.get(), "mip_dual_bound", &bound) == kOk) {
            answer.bound = bound;
        }
    } else if (answer.status == Status::Optimal && answer.has_point) {
        answer.bound = answer.objective;
    }
    return answer;
}

}  // namespace mip

}  // namespace redoubt

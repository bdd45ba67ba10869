#include "fuzz/harness.hpp"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace redoubt::fuzz {

namespace {

/// Only the thread that watches counts: the readers under test use no other.
thread_local bool watching = false;
thread_local std::ptrdiff_t in_use = 0;
thread_local std::ptrdiff_t limit = 0;

void on_allocate(const volatile void* /*start*/, std::size_t size) {
    if (!watching) return;
    in_use += static_cast<std::ptrdiff_t>(size);
    if (in_use <= limit) return;
    watching = false;
    std::fprintf(stderr, "%td bytes in use, the limit is %td\n", in_use, limit);
    std::abort();
}

void on_free(const volatile void* start) {
    if (!watching || start == nullptr) return;
    in_use -=
        static_cast<std::ptrdiff_t>(__sanitizer_get_allocated_size(const_cast<const void*>(start)));
}

}  // namespace

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

MemoryWatch::MemoryWatch(std::size_t most) {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(on_allocate, on_free);
    require(installed != 0, "the watch on memory is installed");
    in_use = 0;
    limit = static_cast<std::ptrdiff_t>(most);
    watching = true;
}

MemoryWatch::~MemoryWatch() {
    watching = false;
}

OptionLine::OptionLine(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    letters_ = input.substr(0, end);
    text_ = input.substr(std::min(end + 1, input.size()));
}

}  // namespace redoubt::fuzz

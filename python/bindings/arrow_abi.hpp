#pragma once

/// The structures of Arrow's C data interface and C stream interface: an agreement about memory
/// between programs, which needs no library.
///
/// Whoever holds a structure whose `release` is not null has to call it once. A structure is moved
/// by copying it and setting the `release` of the source to null.

#include <cstdint>
#include <utility>

namespace redoubt::python::arrow {

struct Schema {
    /// The type, for example "g" for double and "u" for text.
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    Schema** children;
    /// The type of the values, if the entries are places in a dictionary.
    Schema* dictionary;
    void (*release)(Schema*);
    void* private_data;
};

struct Array {
    std::int64_t length;
    /// -1 if nobody has counted them.
    std::int64_t null_count;
    /// How many entries of the buffers come before the first one.
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    Array** children;
    Array* dictionary;
    void (*release)(Array*);
    void* private_data;
};

/// All calls return 0 or an errno; a next array that is released already is the end.
struct Stream {
    int (*get_schema)(Stream*, Schema*);
    int (*get_next)(Stream*, Array*);
    const char* (*get_last_error)(Stream*);
    void (*release)(Stream*);
    void* private_data;
};

/// Owns one of them.
template <typename Struct>
class Owned {
public:
    Owned() = default;
    /// Takes it over.
    explicit Owned(Struct& source) : value_(source) { source.release = nullptr; }
    Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, Struct{})) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
        if (value_.release != nullptr) value_.release(&value_);
    }

    bool is_empty() const noexcept { return value_.release == nullptr; }
    Struct* get() noexcept { return &value_; }
    const Struct* operator->() const noexcept { return &value_; }
    const Struct& operator*() const noexcept { return value_; }

private:
    Struct value_{};
};

}  // namespace redoubt::python::arrow

#include "io/json_text.hpp"

#include <algorithm>
#include <vector>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

/// What the JSON library says about a syntax error, without its own prefix and without the bytes it
/// had read last, which may be many or not even text.
std::string syntax_problem(std::string_view message) {
    const std::size_t column = message.find("column ");
    const std::size_t start = message.find(": ", column);
    if (column != std::string_view::npos && start != std::string_view::npos) {
        message.remove_prefix(start + 2);
    }
    message = message.substr(0, message.find("; last read"));
    return "not valid JSON, so cut short or damaged: " + std::string(message);
}

/// The number in "number overflow parsing '1e999'".
std::string overflow_problem(std::string_view message) {
    const std::size_t first = std::min(message.find('\''), message.size());
    const std::size_t last = message.rfind('\'');
    const std::string_view number =
        last > first && last < message.size() ? message.substr(first + 1, last - first - 1) : "";
    return number_problem(NumberText::TooLarge, number);
}

/// Takes the events of the parser and builds the tree. (The parser can build it alone, but lets the
/// last of equal names win and, when asked to report names, takes quadratic time.)
class TreeBuilder {
public:
    TreeBuilder(std::string_view text, const std::string& origin, std::size_t max_depth)
        : text_(text), origin_(origin), max_depth_(max_depth) {}

    Json take_tree() { return std::move(root_); }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(Json::number_integer_t value) { return add(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
    bool number_float(double value, const std::string& /*digits*/) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(Json::binary_t& /*value*/) { return false; }  // does not occur in text

    bool start_object(std::size_t /*size*/) { return open(Json::object()); }
    bool end_object() { return close(); }
    bool start_array(std::size_t /*size*/) { return open(Json::array()); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (open_.back()->contains(name)) {
            fail("the field " + quote_text(name) + " occurs more than once");
        }
        if (open_.back()->size() == kMaxJsonFields) {
            fail("expected at most " + std::to_string(kMaxJsonFields) +
                 " fields in one object, found more");
        }
        key_ = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) {
        if (dynamic_cast<const Json::out_of_range*>(&error) != nullptr) {
            fail(overflow_problem(error.what()));
        }
        const auto end = text_.begin() + static_cast<long>(std::min(position, text_.size()));
        throw ParseError(origin_, 1 + std::count(text_.begin(), end, '\n'), 0,
                         syntax_problem(error.what()));
    }

private:
    /// Puts a value in its place; a parent is not touched while one of its children is open, so the
    /// address holds.
    Json* place(Json value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Json& parent = *open_.back();
        if (parent.is_object()) {
            make_room(parent.get_ref<Json::object_t&>());
            return &(parent[key_] = std::move(value));
        }
        parent.push_back(std::move(value));
        return &parent.back();
    }

    /// The fields are a vector that copies them when it grows, whole trees with them. This moves.
    static void make_room(Json::object_t& fields) {
        if (fields.size() < fields.capacity()) return;
        Json::object_t larger;
        larger.reserve(2 * fields.size() + 1);
        for (auto& [name, value] : fields) larger.emplace_back(name, std::move(value));
        fields = std::move(larger);
    }

    bool add(Json value) {
        place(std::move(value));
        return true;
    }

    bool open(Json value) {
        if (open_.size() == max_depth_) {
            fail("expected at most " + std::to_string(max_depth_) + " levels, found more");
        }
        open_.push_back(place(std::move(value)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw ParseError(origin_, 0, 0, problem);
    }

    std::string_view text_;
    const std::string& origin_;
    std::size_t max_depth_;
    Json root_;
    std::vector<Json*> open_;
    std::string key_;
};

class JsonWriter {
public:
    std::string write(const Json& value) {
        write_lines(value, 0);
        text_ += '\n';
        return std::move(text_);
    }

private:
    static constexpr std::size_t kIndent = 2;

    void new_line(std::size_t depth) { text_.append("\n").append(depth * kIndent, ' '); }

    /// A list of objects or lists.
    static bool is_long_list(const Json& value) {
        return value.is_array() && std::any_of(value.begin(), value.end(), [](const Json& entry) {
                   return entry.is_structured();
               });
    }

    void write_lines(const Json& value, std::size_t depth) {
        if (value.empty() || !(value.is_object() || is_long_list(value))) {
            return write_inline(value);
        }
        text_ += value.is_object() ? '{' : '[';
        for (auto entry = value.begin(); entry != value.end(); ++entry) {
            if (entry != value.begin()) text_ += ',';
            new_line(depth + 1);
            if (value.is_object()) {
                write_name(entry.key());
                write_lines(*entry, depth + 1);
            } else {
                write_inline(*entry);
            }
        }
        new_line(depth);
        text_ += value.is_object() ? '}' : ']';
    }

    void write_inline(const Json& value) {
        if (!value.is_structured()) return write_scalar(value);
        text_ += value.is_object() ? '{' : '[';
        for (auto entry = value.begin(); entry != value.end(); ++entry) {
            if (entry != value.begin()) text_ += ", ";
            if (value.is_object()) write_name(entry.key());
            write_inline(*entry);
        }
        text_ += value.is_object() ? '}' : ']';
    }

    void write_name(const std::string& name) {
        write_scalar(name);
        text_ += ": ";
    }

    void write_scalar(const Json& value) {
        if (value.is_number_float()) {
            const std::string digits = shortest(value.get<double>());
            text_ += digits;
            // An integer would lose the sign of -0.
            if (digits.find_first_of(".e") == std::string::npos) text_ += ".0";
            return;
        }
        try {
            text_ += value.dump();
        } catch (const Json::type_error&) {
            throw InvalidInput("text", "UTF-8", quote_text(value.get_ref<const std::string&>()));
        }
    }

    std::string text_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& origin, std::size_t max_depth) {
    TreeBuilder builder(text, origin, max_depth);
    Json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take_tree();
}

std::string json_text(const Json& value) {
    return JsonWriter().write(value);
}

}  // namespace redoubt::io

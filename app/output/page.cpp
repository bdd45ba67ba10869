#include "output/page.hpp"

#include <string_view>

#include "page_look.hpp"

namespace redoubt::app {
namespace {

/// What Markdown would take for its own gets a backslash; line breaks would end a cell or an item.
std::string markdown_text(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        if (std::string_view("\\`*_[]<>|#&~").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c == '\n' || c == '\r' ? ' ' : c;
    }
    return escaped;
}

std::string element(const std::string& name, const std::string& inner) {
    return "<" + name + ">" + inner + "</" + name.substr(0, name.find(' ')) + ">";
}

/// 64 hexadecimal digits: a SHA-256, which may be broken anywhere.
bool is_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string markdown_row(const std::vector<std::string>& cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row += " " + markdown_text(cell) + " |";
    return row + "\n";
}

std::string html_row(const std::vector<std::string>& cells) {
    std::string row = element("th scope=\"row\"", html_text(cells.front()));
    for (std::size_t i = 1; i < cells.size(); ++i) {
        row += element(is_hash(cells[i]) ? "td class=\"hash\"" : "td", html_text(cells[i]));
    }
    return element("tr", row) + "\n";
}

std::string html_table(const std::string& caption, const std::vector<std::string>& heads,
                       const std::vector<std::vector<std::string>>& rows, bool are_words) {
    std::string first;
    for (const std::string& head : heads) first += element("th scope=\"col\"", html_text(head));
    std::string body;
    for (const auto& row : rows) body += html_row(row);
    const std::string table =
        element(are_words ? "table class=\"words\"" : "table",
                element("caption", html_text(caption)) + element("thead", element("tr", first)) +
                    "<tbody>\n" + body + "</tbody>");
    return element("div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" +
                       html_text(caption) + "\"",
                   table) +
           "\n";
}

}  // namespace

std::string html_text(const std::string& text) {
    std::string escaped;
    for (char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

Page::Page(PageFormat format, std::string title, std::string subtitle)
    : format_(format), title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Page::begin_section(const std::string& anchor, const std::string& title) {
    sections_.push_back({anchor, title});
}

void Page::add_text(const std::string& text) {
    body() += is_html() ? element("p", html_text(text)) + "\n" : markdown_text(text) + "\n\n";
}

void Page::add_list(const std::vector<std::string>& items) {
    if (items.empty()) return;
    std::string list;
    for (const std::string& item : items) {
        list += is_html() ? element("li", html_text(item)) + "\n" : "- " + markdown_text(item) + "\n";
    }
    body() += is_html() ? element("ul", "\n" + list) + "\n" : list + "\n";
}

void Page::add_rows(const std::string& caption, const std::vector<std::string>& heads,
                    const std::vector<std::vector<std::string>>& rows, bool are_words) {
    if (is_html()) {
        body() += html_table(caption, heads, rows, are_words);
        return;
    }
    std::string line = "|";
    for (std::size_t i = 0; i < heads.size(); ++i) {
        line += i == 0 || are_words ? " :-- |" : " --: |";
    }
    body() += markdown_row(heads) + line + "\n";
    for (const auto& row : rows) body() += markdown_row(row);
    body() += "\n";
}

void Page::add_table(const std::string& caption, const std::vector<std::string>& heads,
                     const std::vector<std::vector<std::string>>& rows) {
    if (!is_html()) add_text(caption + ":");
    add_rows(caption, heads, rows, false);
}

void Page::add_facts(const std::string& caption,
                     const std::vector<std::pair<std::string, std::string>>& facts) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, value] : facts) rows.push_back({name, value});
    add_rows(caption, {"what", "value"}, rows, true);
}

void Page::add_pictures(const std::vector<SharePicture>& pictures) {
    if (!is_html()) return;
    std::string figures;
    for (const SharePicture& picture : pictures) figures += html_figure(picture);
    body() += element("div class=\"figures\"", figures) + "\n";
}

std::string Page::text() const {
    if (!is_html()) {
        std::string text = "# " + markdown_text(title_) + "\n\n" + markdown_text(subtitle_) + "\n\n";
        for (const Section& section : sections_) {
            text += "## " + markdown_text(section.title) + "\n\n" + section.body;
        }
        text.pop_back();
        return text;
    }
    std::string contents;
    std::string main;
    for (const Section& section : sections_) {
        const std::string title = html_text(section.title);
        contents += element("li", element("a href=\"#" + section.anchor + "\"", title));
        main += element("section id=\"" + section.anchor + "\"",
                        element("h2", title) + "\n" + section.body) +
                "\n";
    }
    const std::string nav =
        element("nav aria-labelledby=\"contents-title\"",
                element("h2 id=\"contents-title\"", "Contents") + element("ol", contents));
    const std::string head =
        "<meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"color-scheme\" content=\"light dark\">" +
        element("title", html_text(title_)) + element("style", kPageLook);
    const std::string top =
        element("header", element("h1", html_text(title_)) + element("p", html_text(subtitle_)));
    const std::string frame = element("div class=\"frame\"", nav + "\n" + element("main", main));
    return "<!DOCTYPE html>\n" +
           element("html lang=\"en\"", element("head", head) + "\n" + element("body", top + frame)) +
           "\n";
}

}  // namespace redoubt::app

#pragma once

/// A page for reading: HTML that loads nothing from elsewhere, or Markdown. It looks like the pages
/// of `python -m redoubt.report`, with whom it shares reproduction/report/page.css.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt::app {

enum class PageFormat { Html, Markdown };

/// Shares over radii. HTML draws them; the table next to the picture has the numbers.
struct SharePicture {
    std::string name;
    Vector radii;  ///< ascending
    Vector share;
    std::optional<Vector> ceiling{};
    double constant = 0.0;
    /// Below the axis: "l2 radius, in units of the data".
    std::string axis;
};

class Page {
public:
    Page(PageFormat format, std::string title, std::string subtitle);

    /// `anchor` is a word of letters. What is added next belongs to the section.
    void begin_section(const std::string& anchor, const std::string& title);
    void add_text(const std::string& text);
    void add_list(const std::vector<std::string>& items);
    /// A cell is text; those of `kHashHead` columns, and facts of that name, are hashes.
    void add_table(const std::string& caption, const std::vector<std::string>& heads,
                   const std::vector<std::vector<std::string>>& rows);
    void add_facts(const std::string& caption,
                   const std::vector<std::pair<std::string, std::string>>& facts);
    void add_pictures(const std::vector<SharePicture>& pictures);

    std::string text() const;

private:
    struct Section {
        std::string anchor;
        std::string title;
        std::string body{};
    };

    bool is_html() const { return format_ == PageFormat::Html; }
    std::string& body() { return sections_.back().body; }
    void add_rows(const std::string& caption, const std::vector<std::string>& heads,
                  const std::vector<std::vector<std::string>>& rows, bool are_words);

    PageFormat format_;
    std::string title_;
    std::string subtitle_;
    std::vector<Section> sections_{};
};

/// The text with HTML's special characters escaped.
std::string html_text(const std::string& text);

/// The picture as an HTML element.
std::string html_figure(const SharePicture& picture);

}  // namespace redoubt::app

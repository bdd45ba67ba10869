// Shares over radii as a drawing in HTML: colours are those of the page, light or dark.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "output/evaluation.hpp"
#include "output/page.hpp"
#include "output/report.hpp"

namespace redoubt::app {
namespace {

constexpr double kWidth = 440.0;
constexpr double kHeight = 290.0;
constexpr double kLeft = 52.0;
constexpr double kRight = 14.0;
constexpr double kTop = 12.0;
constexpr double kBottom = 46.0;
/// Marks on the radius axis, about.
constexpr double kMarks = 5.0;

std::string place_text(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

/// 1, 2 or 5 times a power of ten.
double step_of_marks(double greatest) {
    const double raw = greatest / kMarks;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power) return factor * power;
    }
    return 10.0 * power;
}

class Drawing {
public:
    explicit Drawing(double greatest) : greatest_(greatest > 0.0 ? greatest : 1.0) {}

    std::string x(double radius) const {
        return place_text(kLeft + (kWidth - kLeft - kRight) * radius / greatest_);
    }
    std::string y(double share) const {
        return place_text(kTop + (kHeight - kTop - kBottom) * (1.0 - share));
    }

    void axes(const std::string& name) {
        for (double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            line(x(0.0), y(share), x(greatest_), y(share), "var(--rule)");
            label(place_text(kLeft - 7.0), place_text(std::stod(y(share)) + 4.5), "end",
                  percent_text(share));
        }
        const double step = step_of_marks(greatest_);
        for (int i = 0; i * step <= greatest_ * (1.0 + 1e-9); ++i) {
            line(x(i * step), y(0.0), x(i * step), place_text(std::stod(y(0.0)) + 4.0),
                 "var(--muted)");
            label(x(i * step), place_text(std::stod(y(0.0)) + 18.0), "middle",
                  shown_text(i * step));
        }
        label(x(greatest_ / 2.0), place_text(kHeight - 6.0), "middle", name);
    }

    void curve(const Vector& radii, const Vector& shares, const std::string& style) {
        text_ += "<polyline fill=\"none\" " + style + " points=\"";
        for (Index i = 0; i < radii.size(); ++i) text_ += x(radii[i]) + "," + y(shares[i]) + " ";
        text_ += "\"/>";
    }

    void dots(const Vector& radii, const Vector& shares, const std::string& color) {
        for (Index i = 0; i < radii.size(); ++i) {
            text_ += "<circle cx=\"" + x(radii[i]) + "\" cy=\"" + y(shares[i]) +
                     "\" r=\"3\" fill=\"" + color + "\"/>";
        }
    }

    std::string text(const std::string& about) const {
        return "<svg viewBox=\"0 0 " + place_text(kWidth) + " " + place_text(kHeight) +
               "\" role=\"img\" aria-label=\"" + html_text(about) + "\">" + text_ + "</svg>";
    }

private:
    void line(const std::string& x1, const std::string& y1, const std::string& x2,
              const std::string& y2, const std::string& color) {
        text_ += "<line x1=\"" + x1 + "\" y1=\"" + y1 + "\" x2=\"" + x2 + "\" y2=\"" + y2 +
                 "\" stroke=\"" + color + "\"/>";
    }
    void label(const std::string& at, const std::string& height, const std::string& anchor,
               const std::string& text) {
        text_ += "<text x=\"" + at + "\" y=\"" + height + "\" text-anchor=\"" + anchor +
                 "\" font-size=\"13\" fill=\"var(--muted)\">" + html_text(text) + "</text>";
    }

    double greatest_;
    std::string text_{};
};

struct LineLook {
    std::string name;
    std::string color;
    std::string dashes;

    std::string style() const {
        return "stroke=\"" + color + "\" stroke-width=\"2\" stroke-dasharray=\"" + dashes + "\"";
    }
    /// For the legend.
    std::string sample() const {
        return "<span class=\"key\"><svg viewBox=\"0 0 28 10\" aria-hidden=\"true\">"
               "<line x1=\"0\" y1=\"5\" x2=\"28\" y2=\"5\" " +
               style() + "/></svg> " + html_text(name) + "</span> ";
    }
};

}  // namespace

std::string html_figure(const SharePicture& picture) {
    const LineLook certified{picture.name, "var(--blue)", "none"};
    const LineLook ceiling{"ceiling", "var(--purple)", "2 4"};
    const LineLook constant{"constant answer", "var(--baseline)", "7 5"};
    const Index last = picture.radii.size() - 1;
    Drawing drawing(last < 0 ? 0.0 : picture.radii[last]);
    drawing.axes(picture.axis);
    std::string legend = certified.sample();
    if (picture.ceiling) {
        drawing.curve(picture.radii, *picture.ceiling, ceiling.style());
        legend += ceiling.sample();
    }
    drawing.curve(picture.radii, Vector::Constant(last + 1, picture.constant), constant.style());
    legend += constant.sample();
    drawing.curve(picture.radii, picture.share, certified.style());
    drawing.dots(picture.radii, picture.share, certified.color);
    std::string about = picture.name;
    if (last >= 0) {
        about += ": from " + percent_text(picture.share[0]) + " at radius " +
                 shown_text(picture.radii[0]) + " to " + percent_text(picture.share[last]) +
                 " at radius " + shown_text(picture.radii[last]);
    }
    return "<figure>" + drawing.text(about) + "<figcaption>" + legend + "</figcaption></figure>";
}

}  // namespace redoubt::app

"""The report in a real browser: nothing fails, all figures are seen, no page scrolls aside."""

import os

import matplotlib as mpl

mpl.use("Agg")

import pytest
from chromium import NAMES, Browser, find_chromium
from redoubt.report import write_report
from report_run import write_run

pytestmark = pytest.mark.slow

if find_chromium() is None and os.environ.get("REDOUBT_REQUIRE_CHROMIUM") != "1":
    pytest.skip(f"none of {', '.join(NAMES)} is installed", allow_module_level=True)

SIZES = pytest.mark.parametrize("width", [390, 1280])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
CONTRAST = """
(() => {
  const parse = text => text.match(/[0-9.]+/g).map(Number);
  const light = text => {
    const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = parse(text).map(part);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if (parse(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const worst = { ratio: 99, text: "" };
  const texts = "p, a, th, td, td *, caption, dt, dd, figcaption, h2";
  for (const e of document.querySelectorAll(texts)) {
    if (!e.textContent.trim() || e.closest("svg")) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) Object.assign(worst, { ratio, text: e.outerHTML.slice(0, 200) });
  }
  return worst;
})()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    write_run(folder, [("gaussian", "l2"), ("digits3", "l2")])
    return write_report(folder)


@pytest.fixture(scope="module")
def browser():
    with Browser(find_chromium() or NAMES[0]) as browser:
        yield browser


@pytest.fixture
def opened(browser, page):
    def open_page(width, scheme):
        browser.problems.clear()
        browser.open(page, width, scheme=scheme)
        return browser

    return open_page


@SIZES
@SCHEMES
def test_nothing_fails_and_all_figures_are_seen(opened, width, scheme):
    browser = opened(width, scheme)
    boxes = browser.run(
        "[...document.querySelectorAll('figure svg')].map(e => {"
        " const box = e.getBoundingClientRect();"
        " return [box.width, box.height, box.left, box.right, e.checkVisibility()]; })"
    )
    assert len(boxes) > 30
    for box_width, height, left, right, is_visible in boxes:
        assert box_width > 250
        assert height > 100
        assert left >= 0
        assert right <= width
        assert is_visible
    assert browser.problems == []


@SIZES
@SCHEMES
def test_the_page_does_not_scroll_aside(opened, width, scheme):
    browser = opened(width, scheme)
    assert browser.run("document.documentElement.scrollWidth") == width
    browser.run("scrollTo(500, 0)")
    assert browser.run("scrollX") == 0
    # Wide tables do, in boxes of their own.
    wide = browser.run(
        "[...document.querySelectorAll('.scroll')]"
        ".filter(e => e.scrollWidth > e.clientWidth).length"
    )
    assert wide > 0


@SIZES
def test_texts_in_figures_are_large_enough(opened, width):
    browser = opened(width, "light")
    least = browser.run(
        "Math.min(...[...document.querySelectorAll('figure svg text')].map(e => {"
        " const m = e.getScreenCTM();"
        " return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(m.a, m.b); }))"
    )
    assert least >= 7.0


@SCHEMES
def test_contrast_of_texts(opened, scheme):
    worst = opened(1280, scheme).run(CONTRAST)
    assert worst["ratio"] >= 4.5, worst["text"]


def test_the_schemes_differ(opened):
    script = "getComputedStyle(document.body).backgroundColor"
    figure = "getComputedStyle(document.querySelector('figure svg text')).fill"
    light = opened(1280, "light").run(script), opened(1280, "light").run(figure)
    dark = opened(1280, "dark").run(script), opened(1280, "dark").run(figure)
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_the_contents_stay_in_sight_on_a_laptop(opened):
    browser = opened(1280, "light")
    browser.run("scrollTo(0, 4000)")
    top, bottom = browser.run(
        "(b => [b.top, b.bottom])(document.querySelector('nav').getBoundingClientRect())"
    )
    assert 0 <= top < bottom <= 900


def test_the_browser_notices_what_goes_wrong(browser, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<img src='missing.png'><script>console.error('x'); throw new Error('y')</script>"
    )
    browser.problems.clear()
    browser.open(bad, 390)
    assert len(browser.problems) >= 3

"""The look of the page: light and dark, laptop and phone."""

CSS = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --panel: #f6f7f9; --ink: #1c2127; --muted: #59636e; --rule: #d5dae0;
  --link: #005a9c; --equal: #d9f0e3; --one-point: #fdecc0; --different: #f9d5cf;
  --equal-bar: #2a9d6f; --one-point-bar: #d99a1c; --different-bar: #c8452f;
  --blue: #0072b2; --orange: #d55e00; --green: #009e73; --purple: #cc79a7; --yellow: #e69f00;
  --sky: #56b4e9; --baseline: #5c6773;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15181c; --panel: #1e2329; --ink: #e8eaed; --muted: #a5afba; --rule: #3a424b;
    --link: #7cc0ff; --equal: #17402e; --one-point: #4d3b0c; --different: #5a2219;
    --equal-bar: #3fbf8a; --one-point-bar: #e0a930; --different-bar: #e8664f;
    --blue: #58b0ea; --orange: #ff8a3d; --green: #2fcf9f; --purple: #e59cc5; --yellow: #f5b731;
    --sky: #8fd0f7; --baseline: #aab4bf;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, .frame { max-width: 1320px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 24px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 12px; }
h3 { font-size: 1.08rem; margin: 28px 0 10px; }
p { max-width: 46rem; margin: 0 0 12px; overflow-wrap: break-word; }
.lead { font-size: 1.15rem; font-weight: 600; }
a { color: var(--link); }
nav { margin: 8px 0 24px; padding: 12px 16px; background: var(--panel); border-radius: 8px; }
nav h2 { font-size: 0.95rem; margin: 0 0 6px; color: var(--muted); }
nav ol { margin: 0; padding: 0; list-style: none; columns: 2; column-gap: 16px; }
nav a { display: block; padding: 4px 0; text-decoration: none; }
nav a:hover, nav a:focus { text-decoration: underline; }
main { min-width: 0; }
section { padding: 12px 0 28px; border-top: 1px solid var(--rule); }
.jumps { display: flex; flex-wrap: wrap; gap: 4px 14px; max-width: none; font-size: 0.92rem; }
.jumps a { padding: 2px 0; }
.scroll { overflow: auto; max-width: 100%; margin: 0 0 18px; border: 1px solid var(--rule);
  border-radius: 6px; }
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
.tall .scroll { max-height: 24rem; }
table { border-collapse: collapse; font-size: 0.84rem; font-variant-numeric: tabular-nums; }
caption { position: sticky; left: 0; width: max-content; max-width: min(100%, 86vw);
  text-align: left; padding: 8px 10px; color: var(--muted); font-size: 0.84rem; }
th, td { padding: 4px 9px; text-align: right; white-space: nowrap;
  border-top: 1px solid var(--rule); }
thead th { background: var(--panel); font-weight: 600; }
tbody th { position: sticky; left: 0; background: var(--panel); text-align: left; z-index: 1;
  font-weight: 600; }
thead tr:first-child th:first-child { text-align: left; position: sticky; left: 0; z-index: 2;
  white-space: normal; }
.words td, .words thead th { text-align: left; white-space: normal; min-width: 6em;
  overflow-wrap: break-word; }
.words thead th { white-space: nowrap; }
.words tbody th { white-space: normal; }
.verdict td:nth-of-type(-n + 2) { text-align: left; }
.cells td { line-height: 1.3; text-align: center; }
.cells thead th { text-align: center; }
.cells th.group, .cells td.group { border-left: 1px solid var(--muted); }
.cells .low { color: var(--muted); font-size: 0.95em; }
.cells .equal .low, .cells .one-point .low, .cells .different .low { color: var(--ink); }
.cells b.low { color: var(--ink); }
.none { color: var(--muted); }
.mark { margin-left: 3px; font-size: 0.9em; }
td.equal, .chip.equal { background: var(--equal); }
td.one-point, .chip.one-point { background: var(--one-point); }
td.different, .chip.different { background: var(--different); }
.chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { padding: 2px 10px; border-radius: 12px; font-size: 0.88rem; }
.bar { display: flex; width: 160px; height: 12px; border-radius: 3px; overflow: hidden; }
.bar .equal { background: var(--equal-bar); }
.bar .one-point { background: var(--one-point-bar); }
.bar .different { background: var(--different-bar); }
.figures { display: grid; gap: 18px 20px; align-items: start; margin: 0 0 18px;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 460px; }
figcaption { font-size: 0.86rem; color: var(--muted); margin-top: 4px; }
dt { margin-top: 12px; } dd { margin: 2px 0 0 1.2rem; max-width: 46rem; overflow-wrap: anywhere; }
@media (min-width: 1000px) {
  .frame { display: grid; grid-template-columns: 190px minmax(0, 1fr); gap: 32px; }
  nav { position: sticky; top: 16px; align-self: start; max-height: calc(100vh - 32px);
    overflow: auto; }
  nav ol { columns: 1; }
  section:first-child { border-top: 0; padding-top: 4px; }
}
@media print { nav { display: none; } .scroll { overflow: visible; } }
"""

#pragma once

/// The parser's classes by name. Its headers cost seconds per source, so only sources include them.

namespace CLI {
class App;
class Option;
}  // namespace CLI

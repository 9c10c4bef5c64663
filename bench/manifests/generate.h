#pragma once

#include <cstddef>
#include <string>

namespace overlane::bench {

enum class Shape {
  Small,  ///< As a user writes it: about 1.6 KB of YAML.
  Live,   ///< As kubectl prints it, with status and managedFields: about 12 KB.
};
enum class Form {
  YamlDocuments,
  YamlList,  ///< One `kind: List` document, as kubectl prints it.
  JsonList,
  JsonLines,
};

/// `count` shoots with different names, ranges and zones. The same arguments give the same text.
std::string generate(Shape shape, Form form, std::size_t count);

}  // namespace overlane::bench

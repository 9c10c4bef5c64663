#include "topologies/manifest/unfilled.h"

#include <string_view>

#include <fmt/format.h>

namespace overlane::manifest {
namespace {

using document::Kind;
using document::Value;

bool encloses(std::string_view text, std::string_view open, std::string_view close) {
  const auto at = text.find(open);
  return at != text.npos && text.find(close, at) != text.npos;
}

bool is_placeholder(std::string_view text) {
  return text.size() > 2 && text.starts_with('<') && text.ends_with('>') &&
         text.find('\n') == text.npos;
}

std::optional<Unfilled> judge(const Value& value) {
  const std::string_view text = value.text();
  const std::string path = value.path();
  if (is_placeholder(text))
    return Unfilled{value, "placeholder", fmt::format("{} is the placeholder {}", path, text),
                    "write the real value"};
  if (encloses(text, "{{", "}}") || encloses(text, "${", "}"))
    return Unfilled{value, "template", fmt::format("{} is a template expression", path),
                    "render the template first"};
  if (text == "..." && !value.quoted())
    return Unfilled{value, "elision", fmt::format("{} is left out (`...`)", path),
                    "write the real value"};
  return std::nullopt;
}

}  // namespace

std::optional<Unfilled> find_unfilled(const Value& value) {
  if (value.is(Kind::Scalar)) return judge(value);
  for (Value child : value)
    if (auto found = find_unfilled(child)) return found;
  return std::nullopt;
}

}  // namespace overlane::manifest

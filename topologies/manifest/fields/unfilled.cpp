#include "topologies/manifest/fields/unfilled.h"

#include <algorithm>
#include <array>
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

/// The first `<word>` in `text`, or nothing.
std::string_view placeholder_in(std::string_view text) {
  constexpr std::string_view kWord =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  for (auto open = text.find('<'); open != text.npos; open = text.find('<', open + 1)) {
    const auto close = text.find_first_not_of(kWord, open + 1);
    if (close != text.npos && close > open + 1 && text[close] == '>')
      return text.substr(open, close + 1 - open);
  }
  return {};
}

bool is_elision(const Value& value) {
  const std::string_view text = value.text();
  return (!value.quoted() && (text == "..." || text == "\u2026")) || text == "[...]" ||
         text == "[\u2026]";
}

/// Shows only the placeholder of a longer text, which may be confidential.
Unfilled placeholder(const Value& value) {
  const std::string_view text = value.text();
  return {value, "placeholder",
          is_placeholder(text)
              ? fmt::format("{} is the placeholder {}", value.path(), text)
              : fmt::format("{} holds a placeholder: {}", value.path(), placeholder_in(text)),
          "write the real value"};
}

Unfilled template_expression(const Value& value) {
  return {value, "template", fmt::format("{} is a template expression", value.path()),
          "render the template first, for example with `helm template`"};
}

/// The first `$NAME` or `${name}` in `text`, or nothing. Variables without braces are in capitals,
/// as those of a shell's environment.
std::string_view variable_in(std::string_view text) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (auto at = text.find('$'); at != text.npos; at = text.find('$', at + 1)) {
    const std::string_view name = text.substr(at + 1);
    if (name.starts_with('{')) {
      const auto close = name.find('}');
      if (close != name.npos) return text.substr(at, close + 2);
      continue;
    }
    const auto size = std::min(name.find_first_not_of(kCapitals), name.size());
    if (size > 0 && (name.front() < '0' || name.front() > '9')) return text.substr(at, size + 1);
  }
  return {};
}

/// Shows only the variable of a longer text, which may be confidential.
Unfilled variable(const Value& value) {
  return {value, "template",
          fmt::format("{} holds the variable {}", value.path(), variable_in(value.text())),
          "fill in the variables first, for example with `envsubst <FILE`, or with the program "
          "that the file is for (Mako, Terraform, Flux)"};
}

Unfilled left_out(const Value& value) {
  return {value, "elision", fmt::format("{} is left out (`...`)", value.path()),
          "write the real value"};
}

/// Quick test: most texts contain none of the markers.
bool may_be_unfilled(std::string_view text) {
  constexpr std::size_t kMaxElisionBytes = std::string_view("[\u2026]").size();
  if (text.size() <= kMaxElisionBytes && !text.empty() &&
      std::string_view(".[\xe2").find(text.front()) != text.npos)
    return true;
  return text.find_first_of("<{$") != text.npos;
}

std::optional<Unfilled> judge(const Value& value) {
  const std::string_view text = value.text();
  if (!may_be_unfilled(text)) return std::nullopt;
  if (is_placeholder(text) || !placeholder_in(text).empty()) return placeholder(value);
  if (encloses(text, "{{", "}}")) return template_expression(value);
  if (!variable_in(text).empty()) return variable(value);
  if (is_elision(value)) return left_out(value);
  return std::nullopt;
}

std::optional<Unfilled> judge_unread(const Value& value) {
  const std::string_view text = value.text();
  if (!may_be_unfilled(text)) return std::nullopt;
  if (is_placeholder(text) && !value.quoted()) return placeholder(value);
  if (encloses(text, "{{", "}}") && !value.quoted()) return template_expression(value);
  if (is_elision(value)) return left_out(value);
  return std::nullopt;
}

template <typename Judge>
std::optional<Unfilled> find(const Value& value, Judge judge_scalar) {
  if (value.is(Kind::Scalar)) return judge_scalar(value);
  for (Value child : value)
    if (auto found = find(child, judge_scalar)) return found;
  return std::nullopt;
}

}  // namespace

bool may_hold_unfilled(const Value& document) {
  const std::string_view text = document.all_text();
  return std::ranges::any_of(std::array{"<", "{", "$", "...", "\u2026"},
                             [&](const char* sign) { return text.find(sign) != text.npos; });
}

std::optional<Unfilled> find_unfilled(const Value& value) {
  return find(value, judge);
}

std::optional<Unfilled> find_unfinished(const Value& value) {
  return find(value, judge_unread);
}

}  // namespace overlane::manifest

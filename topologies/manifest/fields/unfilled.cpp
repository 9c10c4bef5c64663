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
          "render the template first"};
}

Unfilled left_out(const Value& value) {
  return {value, "elision", fmt::format("{} is left out (`...`)", value.path()),
          "write the real value"};
}

/// Quick test: most texts contain none of the markers.
bool may_be_unfilled(std::string_view text) {
  constexpr std::size_t kLongestElision = std::string_view("[\u2026]").size();
  if (text.size() <= kLongestElision && !text.empty() &&
      std::string_view(".[\xe2").find(text.front()) != text.npos)
    return true;
  return std::ranges::any_of(text, [](char letter) { return letter == '<' || letter == '{'; });
}

std::optional<Unfilled> judge(const Value& value) {
  const std::string_view text = value.text();
  if (!may_be_unfilled(text)) return std::nullopt;
  if (is_placeholder(text) || !placeholder_in(text).empty()) return placeholder(value);
  if (encloses(text, "{{", "}}") || encloses(text, "${", "}")) return template_expression(value);
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
  return std::ranges::any_of(std::array{"<", "{", "...", "\u2026"},
                             [&](const char* sign) { return text.find(sign) != text.npos; });
}

std::optional<Unfilled> find_unfilled(const Value& value) {
  return find(value, judge);
}

std::optional<Unfilled> find_unfinished(const Value& value) {
  return find(value, judge_unread);
}

}  // namespace overlane::manifest

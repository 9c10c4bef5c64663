#include "topologies/document/tree/json_tree.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

namespace ondemand = simdjson::ondemand;

/// Number syntax of RFC 8259 section 6, of any size.
bool is_number(std::string_view text) {
  const auto digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count > 0;
  };
  const auto skip = [&](std::string_view any) {
    if (text.empty() || any.find(text.front()) == any.npos) return false;
    text.remove_prefix(1);
    return true;
  };
  skip("-");
  if (!skip("0") && !digits()) return false;
  if (skip(".") && !digits()) return false;
  if (skip("eE")) {
    skip("+-");
    if (!digits()) return false;
  }
  return text.empty();
}

/// Fills a TreeBuilder from simdjson's values.
class Walk {
 public:
  Walk(ondemand::document& document, std::string_view text, const Origin& origin,
       const ListHead* list, TreeBuilder& builder)
      : document_(document),
        text_(text),
        origin_(origin),
        list_(list),
        deepest_(kMaxDepth - (list != nullptr ? kDepthOfItems : 0)),
        has_escapes_(text.find('\\') != text.npos),
        builder_(builder) {}

  void value(ondemand::value value) {
    const std::string_view token = trimmed(value.raw_json_token());
    const std::uint32_t at = offset(token.data());
    if (token.empty()) throw malformed(at, "a value is missing");
    switch (token.front()) {
      case '{':
        open(Kind::Mapping, at);
        return object(value);
      case '[':
        open(Kind::Sequence, at);
        return array(value);
      case '"':
        return string(value, token, at);
      default:
        return plain(token, at);
    }
  }

  Refusal malformed(simdjson::error_code error) const {
    return malformed(at_, describe_error(error));
  }
  /// Refusal for text after the value.
  Refusal more() const { return malformed(text_.size() - 1, "there is something behind the end"); }

 private:
  std::uint32_t offset(const char* byte) const {
    return static_cast<std::uint32_t>(byte - text_.data());
  }

  static std::string_view trimmed(std::string_view token) {
    const auto is_blank = [](char byte) {
      return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
    };
    while (!token.empty() && is_blank(token.back()))
      token.remove_suffix(1);
    return token;
  }

  static Refusal malformed(std::size_t at, std::string_view what) {
    return {"invalid-json", fmt::format("this is not valid JSON: {}", what),
            "check commas, quotes and brackets here and just before", at};
  }

  template <typename T>
  T checked(simdjson::simdjson_result<T>&& result, std::size_t near) {
    T value;
    const auto error = std::move(result).get(value);
    if (!error) return value;
    const bool in_string = error == simdjson::STRING_ERROR;
    throw malformed(in_string ? near : std::max(near, reached()), describe_error(error));
  }

  /// Offset that simdjson reached; 0 if unknown.
  std::size_t reached() {
    const char* byte = nullptr;
    const bool known = document_.current_location().get(byte) == simdjson::SUCCESS;
    return known && byte < text_.data() + text_.size() ? offset(byte) : 0;
  }

  static std::string_view describe_error(simdjson::error_code error) {
    switch (error) {
      case simdjson::STRING_ERROR:
        return "an escape or a character in this string is not allowed";
      case simdjson::TAPE_ERROR:
      case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
        return "a comma, a colon, a quote or a bracket is missing or misplaced";
      default:
        return simdjson::error_message(error);
    }
  }

  void open(Kind kind, std::uint32_t at) {
    at_ = at;
    if (builder_.depth() == deepest_) throw nesting_limit(at);
    builder_.open(kind, at);
  }
  void close() {
    builder_.close();
    if (const auto twice = builder_.duplicate_key())
      throw duplicate_key(*twice, text_, origin_, list_);
  }

  void object(ondemand::value value) {
    for (auto entry : checked(value.get_object(), at_)) {
      ondemand::field field = checked(std::move(entry), at_);
      key(field);
      this->value(field.value());
    }
    close();
  }

  void array(ondemand::value value) {
    for (auto item : checked(value.get_array(), at_))
      this->value(checked(std::move(item), at_));
    close();
  }

  void key(ondemand::field& field) {
    const char* raw = field.key().raw();
    at_ = offset(raw - 1);
    const std::size_t rest = text_.size() - offset(raw);
    const auto* quote = static_cast<const char*>(std::memchr(raw, '"', rest));
    if (quote == nullptr) throw malformed(at_, "this string is not closed");
    const std::string_view verbatim(raw, static_cast<std::size_t>(quote - raw));
    if (!has_escapes_ || verbatim.find('\\') == verbatim.npos) return builder_.key(verbatim, at_);
    builder_.key(checked(field.unescaped_key(), at_), at_);
  }

  void string(ondemand::value value, std::string_view token, std::uint32_t at) {
    at_ = at;
    if (has_escapes_ && token.find('\\') != token.npos) {
      builder_.scalar(checked(value.get_string(), at), true, at);
      return;
    }
    if (token.size() < 2 || token.back() != '"') throw malformed(at, "this string is not closed");
    static_cast<void>(checked(value.get_raw_json_string(), at));
    builder_.scalar(token.substr(1, token.size() - 2), true, at);
  }

  void plain(std::string_view token, std::uint32_t at) {
    at_ = at;
    if (token == "null") {
      builder_.null(at);
    } else if (token == "true" || token == "false" || is_number(token)) {
      builder_.scalar(token, false, at);
    } else {
      throw malformed(at, "this is no number, true, false or null");
    }
  }

  ondemand::document& document_;
  std::string_view text_;
  const Origin& origin_;
  const ListHead* list_;
  std::size_t deepest_;
  bool has_escapes_;  ///< Whether a string may contain an escape.
  TreeBuilder& builder_;
  std::uint32_t at_ = 0;  ///< Offset of the last value read, for errors.
};

}  // namespace

struct JsonTreeParser::State {
  ondemand::parser parser;
  TreeBuilder builder;
  std::string padded;
};

JsonTreeParser::JsonTreeParser() : state_(std::make_unique<State>()) {}
JsonTreeParser::~JsonTreeParser() = default;

Result<Tree> JsonTreeParser::parse(std::string_view text, const Origin& origin, PartOf part_of) {
  // simdjson reads whole blocks past the end of the text.
  std::string& padded = state_->padded;
  padded.assign(text);
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  const std::string_view copy = std::string_view(padded).substr(0, text.size());
  TreeBuilder& builder = state_->builder;
  builder.clear();
  try {
    ondemand::document document;
    ondemand::value root;
    auto error = state_->parser.iterate(copy, padded.size()).get(document);
    if (!error) error = document.get_value().get(root);
    Walk walk(document, copy, origin, part_of.list.get(), builder);
    if (error) throw walk.malformed(error);
    walk.value(root);
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) throw walk.more();
    return builder.finish(LineMap(origin, text), std::move(part_of));
  } catch (const Refusal& refusal) {
    return fail(refusal.finding(text, origin));
  }
}

bool is_valid_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

}  // namespace overlane::document

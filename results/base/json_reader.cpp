#include "results/base/json_reader.h"

#include <cmath>

#include <fmt/format.h>

namespace overlane {

JsonReader JsonReader::operator[](const char* key) const {
  const Json* found = member(key);
  JsonReader reader(found, problem_, joined(key));
  if (found == nullptr && value_ != nullptr) reader.fault("missing");
  return reader;
}

std::optional<JsonReader> JsonReader::maybe(const char* key) const {
  const Json* found = member(key);
  if (found == nullptr || found->is_null()) return std::nullopt;
  return JsonReader(found, problem_, joined(key));
}

std::string JsonReader::string() const {
  return is(value_ != nullptr && value_->is_string(), "a string") ? value_->get<std::string>() : "";
}

bool JsonReader::boolean() const {
  return is(value_ != nullptr && value_->is_boolean(), "true or false") && value_->get<bool>();
}

std::int64_t JsonReader::integer() const {
  const bool is_whole = value_ != nullptr && value_->is_number_integer();
  const bool fits = is_whole && !(value_->is_number_unsigned() &&
                                  value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  return is(fits, "a 64-bit integer") ? value_->get<std::int64_t>() : 0;
}

std::uint64_t JsonReader::unsigned_integer() const {
  return is(value_ != nullptr && value_->is_number_unsigned(), "a whole number from 0")
             ? value_->get<std::uint64_t>()
             : 0;
}

double JsonReader::number() const {
  return is(value_ != nullptr && value_->is_number(), "a number") ? value_->get<double>() : 0;
}

std::int64_t JsonReader::ppm() const {
  constexpr double kMillion = 1e6;
  const double fraction = number();
  return is(std::abs(fraction) < kMillion, "a fraction") ? std::llround(fraction * kMillion) : 0;
}

std::vector<std::int64_t> JsonReader::integers() const {
  return list([](const JsonReader& item) { return item.integer(); });
}

std::vector<std::string> JsonReader::strings() const {
  return list([](const JsonReader& item) { return item.string(); });
}

const nlohmann::ordered_json& JsonReader::json() const {
  static const Json kNone;
  return value_ == nullptr ? kNone : *value_;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  std::vector<std::pair<std::string, JsonReader>> members;
  if (!is(value_ != nullptr && value_->is_object(), "an object")) return members;
  for (const auto& [key, value] : value_->items())
    members.emplace_back(key, JsonReader(&value, problem_, joined(key)));
  return members;
}

std::vector<JsonReader> JsonReader::items() const {
  std::vector<JsonReader> items;
  if (!is(value_ != nullptr && value_->is_array(), "a list")) return items;
  for (std::size_t i = 0; i < value_->size(); ++i)
    items.push_back(JsonReader(&(*value_)[i], problem_, fmt::format("{}[{}]", path_, i)));
  return items;
}

void JsonReader::fault(std::string_view what) const {
  if (!problem_->empty()) return;
  *problem_ = path_.empty() ? std::string(what) : fmt::format("{}: {}", path_, what);
}

bool JsonReader::is(bool right, std::string_view kind) const {
  if (!right && value_ != nullptr) fault(fmt::format("not {}", kind));
  return right;
}

const nlohmann::ordered_json* JsonReader::member(const char* key) const {
  if (!is(value_ != nullptr && value_->is_object(), "an object")) return nullptr;
  const auto found = value_->find(key);
  return found == value_->end() ? nullptr : &*found;
}

std::string JsonReader::joined(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::optional<std::string> wrong_kind(const nlohmann::ordered_json& document, std::string_view kind,
                                      std::int64_t version) {
  std::string problem;
  const JsonReader json(document, problem);
  const std::string given_kind = json["kind"].string();
  const std::int64_t given_version = json["schema_version"].integer();
  if (!problem.empty()) return "no document of overlane: " + problem;
  if (given_kind != kind) return fmt::format("a {}, not a {}", given_kind, kind);
  if (given_version == version) return std::nullopt;
  return fmt::format("schema_version {} of {}; this program reads version {}", given_version, kind,
                     version);
}

}  // namespace overlane

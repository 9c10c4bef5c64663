#include "topologies/document/fields/fields.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/fields/shape.h"
#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

FieldPath::FieldPath(const Value& value) {
  if (!value.exists()) return;
  owner_ = value.storage_->shared_from_this();
  node_ = value.node_;
}

FieldPath::FieldPath(std::string path) {
  if (!path.empty()) owner_ = std::make_shared<const std::string>(std::move(path));
}

std::string FieldPath::to_string() const {
  if (owner_ == nullptr) return {};
  if (node_ == kText) return *static_cast<const std::string*>(owner_.get());
  return Value(static_cast<const TreeStorage*>(owner_.get()), node_).path();
}

std::string FieldPath::within_object() const {
  if (owner_ == nullptr || node_ == kText) return to_string();
  return Value(static_cast<const TreeStorage*>(owner_.get()), node_).path_within_object();
}

bool FieldPath::operator==(const FieldPath& other) const {
  if (owner_ == other.owner_ && node_ == other.node_) return true;
  return to_string() == other.to_string();
}

Problems::Problems(ObjectName object) : object_(std::move(object)) {}

void Problems::error(const Value& at, std::string_view rule, std::string message,
                     std::string hint) {
  add(Severity::Error, at.place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::key_error(const Value& at, std::string_view rule, std::string message,
                         std::string hint) {
  if (Shape* shape = rule == "removed-field" ? shape_of(at) : nullptr) shape->removed = true;
  add(Severity::Error, at.key_place(), at, std::string(rule), std::move(message), std::move(hint));
}

void Problems::warning(const Value& at, std::string_view rule, std::string message,
                       std::string hint) {
  if (Shape* shape = rule == "deprecated-field" ? shape_of(at) : nullptr) shape->deprecated = true;
  add(Severity::Warning, at.key_place(), at, std::string(rule), std::move(message),
      std::move(hint));
}

Shape* Problems::recorded_shape(const Value& value) const {
  return value.exists() ? &shape_->at(value.path()) : nullptr;
}

void Problems::add(Severity severity, SourceLocation place, const Value& at, std::string rule,
                   std::string message, std::string hint) {
  const std::string name = object_.qualified();
  if (!name.empty()) message = fmt::format("{}: {}", name, message);
  findings_.push_back({.rule = std::move(rule),
                       .severity = severity,
                       .message = one_line(message),
                       .object = object_,
                       .path = one_line(at.path()),
                       .place = std::move(place),
                       .hint = one_line(hint)});
}

namespace {

std::string name_of(const Value& value) {
  const std::string path = value.path();
  return path.empty() ? "the document" : path;
}

/// The type of a value for messages, as in "must be a string, not an integer".
std::string_view describe_value(const Value& value) {
  return value.is(Kind::Scalar) ? describe(value.scalar_type()) : describe(value.kind());
}

void wrong_type(const Value& value, std::string_view wanted, Problems& problems) {
  std::string hint;
  if (wanted == describe(ScalarType::String) && value.is(Kind::Scalar))
    hint = fmt::format("write it in quotes: \"{}\"", value.text());
  else if (value.is(Kind::Scalar) && value.quoted())
    hint = "remove the quotes";
  problems.error(
      value, "wrong-type",
      fmt::format("{} must be {}, not {}", name_of(value), wanted, describe_value(value)),
      std::move(hint));
}

void describe_type(const Value& value, Shape::Type type, const Problems& problems) {
  if (Shape* shape = problems.shape_of(value)) shape->type = type;
}

/// Whether the value is absent or null. A null document is an error. Null items are reported by
/// Fields::list.
bool nothing(const Value& value, std::string_view wanted, Problems& problems) {
  if (value) return false;
  const bool document = value.exists() && value.path().empty();
  if (document) wrong_type(value, wanted, problems);
  return true;
}

}  // namespace

std::optional<std::string> read_string(const Value& value, Problems& problems) {
  describe_type(value, Shape::Type::String, problems);
  if (nothing(value, describe(ScalarType::String), problems)) return std::nullopt;
  if (value.is(Kind::Scalar) && value.scalar_type() == ScalarType::String)
    return std::string(value.text());
  wrong_type(value, describe(ScalarType::String), problems);
  return std::nullopt;
}

std::optional<bool> read_boolean(const Value& value, Problems& problems) {
  describe_type(value, Shape::Type::Boolean, problems);
  if (nothing(value, describe(ScalarType::Bool), problems)) return std::nullopt;
  const std::optional<bool> read = value.as_bool();
  if (!read) wrong_type(value, describe(ScalarType::Bool), problems);
  return read;
}

std::optional<std::int64_t> read_integer(const Value& value, Problems& problems) {
  describe_type(value, Shape::Type::Integer, problems);
  if (nothing(value, describe(ScalarType::Integer), problems)) return std::nullopt;
  const std::optional<std::int64_t> read = value.as_integer();
  if (!read) wrong_type(value, describe(ScalarType::Integer), problems);
  return read;
}

std::optional<double> read_number(const Value& value, Problems& problems) {
  describe_type(value, Shape::Type::Number, problems);
  if (nothing(value, describe(ScalarType::Float), problems)) return std::nullopt;
  const std::optional<double> read = value.as_number();
  if (!read) wrong_type(value, describe(ScalarType::Float), problems);
  return read;
}

Fields::Fields(const Value& mapping, Problems& problems) : problems_(&problems), above_(mapping) {
  describe_type(mapping, Shape::Type::Mapping, problems);
  if (mapping.is(Kind::Mapping)) {
    mapping_ = mapping;
    return;
  }
  if (!nothing(mapping, describe(Kind::Mapping), problems))
    wrong_type(mapping, describe(Kind::Mapping), problems);
  reported_ = mapping || !mapping.is_entry();
}

Value Fields::any(const FieldKey& key) {
  if (!mapping_.exists()) return {};
  known_.push_back(key.name);
  if (Shape* shape = problems_->shape_of(mapping_)) shape->at(key.name).describe(key.text);
  return mapping_[key.name];
}

Value Fields::required(const FieldKey& key) {
  const Value entry = any(key);
  const bool blank = entry.is(Kind::Scalar) && entry.text().empty();
  if (blank) {
    problems_->error(entry, "missing-key", fmt::format("{} must not be empty", name_of(entry)));
  } else if (!entry) {
    if (!reported_) {
      std::string path;
      for (std::size_t i = 0; i < depth_; ++i)
        path.append(within_[i]).append(".");
      problems_->error(entry.exists() ? entry : above_, "missing-key",
                       fmt::format("{} needs the key {}{}", name_of(above_), path, key.name));
    }
    missing_.push_back(key.name);
  }
  return entry;
}

Value Fields::of_kind(const FieldKey& key, Kind kind) {
  const Value entry = any(key);
  const auto type = kind == Kind::Sequence ? Shape::Type::List : Shape::Type::Mapping;
  describe_type(entry, type, *problems_);
  if (nothing(entry, describe(kind), *problems_)) return {};
  if (entry.is(kind)) return entry;
  wrong_type(entry, describe(kind), *problems_);
  return {};
}

Value Fields::list(const FieldKey& key) {
  const Value list = of_kind(key, Kind::Sequence);
  if (Shape* shape = problems_->shape_of(list)) shape->at("[]").describe(key.item);
  for (const Value item : list)
    if (!item)
      problems_->error(item, "wrong-type", fmt::format("{} must not be null", name_of(item)));
  return list;
}

Value Fields::mapping(const FieldKey& key) {
  return of_kind(key, Kind::Mapping);
}

Fields Fields::fields(const FieldKey& key) {
  const Value entry = any(key);
  Fields inner(entry, *problems_);
  if (entry) return inner;
  inner.reported_ = reported_ || std::ranges::find(missing_, key.name) != missing_.end();
  inner.above_ = above_;
  assert(depth_ < kMaxAbsentDepth);
  inner.within_ = within_;
  inner.within_[depth_] = key.name;
  inner.depth_ = depth_ + 1;
  return inner;
}

std::optional<std::string> Fields::string(const FieldKey& key) {
  return read_string(any(key), *problems_);
}

std::optional<bool> Fields::boolean(const FieldKey& key) {
  return read_boolean(any(key), *problems_);
}

std::optional<std::int64_t> Fields::integer(const FieldKey& key) {
  return read_integer(any(key), *problems_);
}

std::optional<double> Fields::number(const FieldKey& key) {
  return read_number(any(key), *problems_);
}

std::optional<std::string> Fields::one_of(const FieldKey& key,
                                          std::span<const std::string_view> words) {
  const Value entry = any(key);
  std::optional<std::string> word = read_string(entry, *problems_);
  only_words(entry, words);
  if (!word || std::ranges::find(words, *word) != words.end()) return word;
  problems_->error(
      entry, "bad-value", fmt::format("{} must not be \"{}\"", name_of(entry), *word),
      fmt::format("{}the values are {}", correction(*word, words), fmt::join(words, ", ")));
  return std::nullopt;
}

std::vector<std::string> Fields::strings(const FieldKey& key) {
  std::vector<std::string> items;
  for (Value item : list(key))
    if (auto text = read_string(item, *problems_)) items.push_back(*std::move(text));
  return items;
}

void Fields::only_words(const Value& entry, std::span<const std::string_view> words) {
  Shape* shape = problems_->shape_of(entry);
  if (shape == nullptr) return;
  shape->type = Shape::Type::String;
  shape->words.assign(words.begin(), words.end());
}

void Fields::only_between(const Value& entry, std::int64_t least, std::int64_t most) {
  Shape* shape = problems_->shape_of(entry);
  if (shape == nullptr) return;
  shape->min = least;
  shape->max = most;
}

void Fields::ignore(std::initializer_list<std::string_view> keys) {
  if (!mapping_.exists()) return;
  known_.insert(known_.end(), keys.begin(), keys.end());
  if (Shape* shape = problems_->shape_of(mapping_))
    for (const std::string_view key : keys)
      shape->at(key);
}

void Fields::no_others() {
  if (Shape* shape = problems_->shape_of(mapping_)) shape->closed = true;
  for (Value entry : mapping_) {
    if (std::ranges::find(known_, entry.key()) != known_.end()) continue;
    problems_->key_error(entry, "unknown-key",
                         fmt::format("{} is not a known field", name_of(entry)),
                         did_you_mean(entry.key(), {known_.data(), known_.size()}));
  }
}

void Fields::warn_others() {
  for (Value entry : mapping_) {
    if (std::ranges::find(known_, entry.key()) != known_.end()) continue;
    problems_->warning(entry, "unknown-field",
                       fmt::format("{} is not a known field and has no effect", name_of(entry)),
                       did_you_mean(entry.key(), {known_.data(), known_.size()}));
  }
}

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const std::size_t replace = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + replace});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return cost.back();
}

std::string_view closest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> known, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view candidate : known)
    ranked.emplace_back(edit_distance(word, candidate), candidate);
  std::ranges::sort(ranked);
  const auto repeated = std::ranges::unique(ranked);
  ranked.erase(repeated.begin(), repeated.end());
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i)
    words.push_back(ranked[i].second);
  return words;
}

std::string correction(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view meant = closest(word, known);
  return meant.empty() ? "" : fmt::format("did you mean {}? ", meant);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view best = closest(word, known);
  if (!best.empty()) return fmt::format("did you mean {}?", best);
  std::vector<std::string_view> once;
  for (const std::string_view candidate : known)
    if (std::ranges::find(once, candidate) == once.end()) once.push_back(candidate);
  return fmt::format("known here: {}", fmt::join(once, ", "));
}

namespace {

constexpr const char* kOtherVersion = "unsupported-api-version";
constexpr const char* kOtherKind = "unsupported-kind";

struct OwnKind {
  std::string_view kind;
  std::string_view use;
};

constexpr std::array kOwnKinds = {
    OwnKind{"Scenario", "`overlane run FILE` runs it, by itself"},
    OwnKind{"MigrationStrategy", "`overlane migrate --strategy FILE` reads it"},
    OwnKind{"Topology", "run a Scenario that names it"},
    OwnKind{"CostProfile", "run a Scenario that names it"},
    OwnKind{"MeasurementTable", "`overlane calibrate --table FILE` reads it"},
    OwnKind{"NetworkProvider", "give it beside the manifests of its shoots"},
    OwnKind{"RoutingDomains", "`overlane overlap --domains FILE` reads it"},
    OwnKind{"Suite", "`overlane bench FILE` runs it"},
};

}  // namespace

bool is_own_api_version(std::string_view api_version) {
  return api_version.starts_with("overlane.dev/");
}

std::string_view hint_for_kind(std::string_view kind) {
  const auto* const row = std::ranges::find(kOwnKinds, kind, &OwnKind::kind);
  return row == kOwnKinds.end() ? "" : row->use;
}

std::string closest_own_kind(std::string_view kind) {
  std::array<std::string_view, kOwnKinds.size()> kinds;
  std::ranges::transform(kOwnKinds, kinds.begin(), &OwnKind::kind);
  return did_you_mean(kind, kinds);
}

ObjectName object_of(const Tree& tree) {
  const Value root = tree.root();
  return {.kind = std::string(root["kind"].text()),
          .name = std::string(root["metadata"]["name"].text())};
}

Findings relevant_findings(const Findings& findings) {
  Findings about_kind;
  std::ranges::copy_if(findings, std::back_inserter(about_kind), [](const Finding& finding) {
    return finding.rule == kOtherVersion || finding.rule == kOtherKind;
  });
  return about_kind.empty() ? findings : about_kind;
}

std::string decode_header(Fields& root, std::string_view kind) {
  const Value version = root.required(FieldKey("apiVersion", "The release of this file's format."));
  if (version && version.text() != kApiVersion) {
    root.problems().error(version, kOtherVersion,
                          fmt::format("apiVersion \"{}\" is not known", version.text()),
                          fmt::format("write {}", kApiVersion));
  }
  const Value written = root.required(FieldKey("kind", "What the file holds."));
  if (written && written.text() != kind) {
    root.problems().error(
        written, kOtherKind,
        fmt::format("kind \"{}\" stands where a {} is needed", written.text(), kind));
  }
  root.only_words(version, {kApiVersion});
  root.only_words(written, {kind});
  Fields metadata = root.fields(FieldKey("metadata", "What the file is called."));
  metadata.required(FieldKey("name", "The name in results and messages."));
  std::string name = metadata.string("name").value_or("");
  metadata.any(FieldKey("labels", "For your own use."));
  metadata.any(FieldKey("annotations", "For your own use."));
  metadata.no_others();
  return name;
}

}  // namespace overlane::document

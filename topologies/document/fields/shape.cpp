#include "topologies/document/fields/shape.h"

#include <algorithm>
#include <cassert>

#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::document {

namespace {

using Type = Shape::Type;

/// A difference of a sample from the default sample.
struct Choice {
  std::string path;  ///< The entry that has `word` instead of its first word.
  std::string word;
  std::string without;  ///< Path of an entry that is left out.
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + '"';
}

std::string inside(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + '.' + key;
}

std::string text_of(const Shape& shape, const std::string& path, const Choice& choice) {
  if (!shape.words.empty()) return quoted(path == choice.path ? choice.word : shape.words.front());
  if (!shape.example.empty()) return quoted(shape.example);
  return quoted("x");
}

/// A JSON document with all fields of a shape.
std::string sample(const Shape& shape, const std::string& path, const Choice& choice) {
  switch (shape.type) {
    case Type::Boolean:
      return "true";
    case Type::Integer:
    case Type::Number:
      return std::to_string(shape.min.value_or(1));
    case Type::List:
      return '[' + (shape.item ? sample(*shape.item, path + "[0]", choice) : "") + ']';
    case Type::Mapping: {
      std::string text;
      for (const auto& [key, entry] : shape.entries)
        if (const std::string at = inside(path, key); at != choice.without)
          text += (text.empty() ? "{" : ", ") + quoted(key) + ": " + sample(entry, at, choice);
      return text.empty() ? "{}" : text + '}';
    }
    case Type::Any:
    case Type::String:
      return text_of(shape, path, choice);
  }
  return "";
}

using Decode = std::function<void(Fields& root)>;

/// Adds the fields that `decode` reads to `shape`. Returns the number of missing required keys.
std::ptrdiff_t ask(const Decode& decode, const std::string& text, Shape& shape) {
  const Stream stream = parse(text, "sample.json");
  assert(stream.documents.size() == 1 && "a sample is a document");
  Problems problems({});
  problems.record_shape(shape);
  Fields root(stream.documents.front().root(), problems);
  decode(root);
  return std::ranges::count(problems.findings(), "missing-key", &Finding::rule);
}

/// Lists one choice per entry and word, except for first words.
void list_choices(const Shape& shape, const std::string& path, std::vector<Choice>& choices) {
  for (std::size_t i = 1; i < shape.words.size(); ++i)
    choices.push_back({path, shape.words[i], ""});
  if (shape.item) list_choices(*shape.item, path + "[0]", choices);
  for (const auto& [key, entry] : shape.entries)
    list_choices(entry, inside(path, key), choices);
}

std::vector<Choice> choices_of(const Shape& shape) {
  std::vector<Choice> choices(1);  // The document with all first words.
  list_choices(shape, "", choices);
  return choices;
}

/// The condition under which `holds` is true for an entry, in terms of its sibling entries.
Shape::When when(const Shape& mapping, const std::string& path, const std::string& key,
                 const std::function<bool(const Choice&)>& holds) {
  Shape::When answer{.is_always = holds({})};
  for (const auto& [by, entry] : mapping.entries) {
    if (by == key) continue;
    std::vector<std::string> words;
    for (const std::string& word : entry.words)
      if (holds({inside(path, by), word, ""})) words.push_back(word);
    if (words.empty() || words.size() == entry.words.size()) continue;
    return {.key = by, .words = std::move(words)};
  }
  return answer;
}

/// Sets when each entry is read and when it is required.
void find_conditions(const Decode& decode, const Shape& whole, const std::string& path,
                     Shape& shape) {
  if (shape.item) find_conditions(decode, whole, path + "[0]", *shape.item);
  for (auto& [key, entry] : shape.entries) {
    const std::string at = inside(path, key);
    entry.asked = when(shape, path, key, [&, &name = key](const Choice& choice) {
      Shape answer;
      ask(decode, sample(whole, "", choice), answer);
      return answer.at(path).find(name) != nullptr;
    });
    entry.required = when(shape, path, key, [&](Choice choice) {
      Shape answer;
      const auto with = ask(decode, sample(whole, "", choice), answer);
      choice.without = at;
      return ask(decode, sample(whole, "", choice), answer) > with;
    });
    find_conditions(decode, whole, at, entry);
  }
}

}  // namespace

const Shape* Shape::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->shape;
}

Shape& Shape::at(std::string_view path) {
  if (path.empty()) return *this;
  if (path.starts_with('[')) {
    if (!item) item = std::make_unique<Shape>();
    path.remove_prefix(path.find(']') + 1);
    if (path.starts_with('.')) path.remove_prefix(1);
    return item->at(path);
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const std::string_view key = path.substr(0, end);
  auto found = std::ranges::find(entries, key, &Entry::key);
  if (found == entries.end()) found = entries.insert(found, Entry{std::string(key), Shape()});
  path.remove_prefix(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  return found->shape.at(path);
}

Shape explore(const Decode& decode) {
  Shape shape;
  shape.type = Type::Mapping;
  std::string before;
  for (std::string now = sample(shape, "", {}); now != before; now = sample(shape, "", {})) {
    before = std::move(now);
    for (const Choice& choice : choices_of(shape))
      ask(decode, sample(shape, "", choice), shape);
  }
  find_conditions(decode, shape, "", shape);
  return shape;
}

}  // namespace overlane::document

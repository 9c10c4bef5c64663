#include "tools/overlane/mcp/tool.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/fields/fields.h"

namespace overlane::mcp {
namespace {

constexpr std::string_view kManifests = "manifests";
constexpr std::string_view kPaths = "paths";
const std::string kStandardInput = "-";

/// Type names of options whose values are whole numbers.
constexpr std::array<std::string_view, 3> kNumbers = {"N", "BYTES", "PORT"};

bool is_number(const command::OptionOutline& option) {
  return std::ranges::find(kNumbers, option.value) != kNumbers.end();
}

/// "max_outage" for "--max-outage".
std::string argument_name(std::string_view option) {
  std::string name(option.substr(2));
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The name of a flag that clears what another name of it sets: "--no-df"; empty if there is none.
std::string clearing_name(const command::OptionOutline& option) {
  const auto at = std::ranges::find_if(
      option.names, [](const std::string& name) { return name.starts_with("--no-"); });
  return at == option.names.end() || option.names.size() < 2 ? "" : *at;
}

std::optional<std::int64_t> number_in(const std::string& digits) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

tl::unexpected<std::string> wrong(std::string_view argument, std::string_view problem) {
  return fail(fmt::format("argument {}: {}", argument, problem));
}

/// A text of an argument; an error if it is none, or empty, which the command line would take for a
/// missing value.
Result<std::string, std::string> text_in(std::string_view argument, const Json& value) {
  if (!value.is_string()) return wrong(argument, "give a string");
  auto text = value.get<std::string>();
  if (text.empty()) return wrong(argument, "the text is empty");
  if (text.find('\0') != text.npos) return wrong(argument, "the text contains a null character");
  return text;
}

Result<std::vector<std::string>, std::string> texts_in(std::string_view argument,
                                                       const Json& value) {
  if (!value.is_array()) return wrong(argument, "give a list of strings");
  std::vector<std::string> texts;
  for (const Json& item : value) {
    auto text = text_in(argument, item);
    if (!text) return fail(std::move(text.error()));
    texts.push_back(*std::move(text));
  }
  return texts;
}

/// Texts that name files. One that begins with a hyphen would be read as an option.
Result<std::vector<std::string>, std::string> paths_in(std::string_view argument,
                                                       const Json& value) {
  auto paths = texts_in(argument, value);
  if (!paths) return paths;
  for (const std::string& path : *paths)
    if (path.starts_with('-') && path != kStandardInput)
      return wrong(argument, fmt::format("{} begins with a hyphen; write ./{}", path, path));
  return paths;
}

/// Whether an option takes names of files.
bool takes_files(const command::OptionOutline& option) {
  constexpr std::array<std::string_view, 4> kFiles = {"PATH", "FILE", "NAME=PATH", "OLD NEW"};
  return std::ranges::find(kFiles, option.value) != kFiles.end();
}

/// Whether a word of the command line names standard input: "-", "--with=-", "--landscape=eu=-".
bool is_input(const std::string& word) {
  return word == kStandardInput || word.ends_with("=-");
}

/// A text of the command line with arguments' names instead of options': "live" for "--live".
std::string with_argument_names(const std::string& text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz-";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t option = std::min(text.find("--", at), text.size());
    result += text.substr(at, option - at);
    at = std::min(text.find_first_not_of(kLetters, option), text.size());
    if (at - option > 2)
      result += argument_name(text.substr(option, at - option));
    else
      result += text.substr(option, at - option);
  }
  return result;
}

Json text_schema() {
  return {{"type", "string"}, {"minLength", 1}};
}

}  // namespace

Tool::Tool(const ToolRow& row) : row_(&row) {
  CLI::App program;
  command::Action unused;
  command::add_verb(program, row.verb, unused);
  const command::VerbOutline verb = command::outline(program).verbs.front();
  description_ = fmt::format("{}. {}", verb.description, row.purpose);
  needs_path_ = std::ranges::any_of(verb.options, [](const command::OptionOutline& one) {
    return one.is_argument && one.required;
  });
  for (const ArgumentRow& argument : row.arguments) {
    const auto option = std::ranges::find_if(verb.options, [&](const command::OptionOutline& one) {
      return std::ranges::find(one.names, argument.option) != one.names.end();
    });
    assert(option != verb.options.end());
    arguments_.push_back({argument_name(argument.option), argument.form, *option});
  }
}

Json Tool::schema_of(const Argument& argument) {
  const command::OptionOutline& option = argument.option;
  Json schema;
  if (argument.form == ArgumentForm::Pair) {
    schema = {{"type", "array"}, {"items", text_schema()}, {"minItems", 2}, {"maxItems", 2}};
  } else if (argument.form == ArgumentForm::List || option.repeatable) {
    schema = {{"type", "array"}, {"items", text_schema()}};
  } else if (argument.form == ArgumentForm::Word) {
    schema = text_schema();
  } else if (option.is_flag()) {
    schema = {{"type", "boolean"}};
  } else if (!option.choices.empty()) {
    schema = {{"type", "string"}, {"enum", option.choices}};
  } else if (is_number(option)) {
    schema = {{"type", "integer"}};
    if (option.range) {
      if (const auto least = number_in(option.range->first)) schema["minimum"] = *least;
      if (const auto most = number_in(option.range->second)) schema["maximum"] = *most;
    }
  } else {
    schema = text_schema();
  }
  std::string text = with_argument_names(option.description);
  if (!option.value.empty() && schema["type"] != "integer")
    text += fmt::format("; written as {}", option.value);
  std::vector<std::string> needed;
  for (const std::string& name : option.needs)
    if (name.starts_with("--")) needed.push_back(argument_name(name));
  if (!needed.empty()) text += fmt::format("; only with {}", fmt::join(needed, ", "));
  schema["description"] = std::move(text);
  return schema;
}

Json Tool::description() const {
  Json properties{
      {kManifests,
       {{"type", "string"},
        {"minLength", 1},
        {"description",
         "Manifests as YAML or JSON text, such as the output of kubectl get shoot -o yaml"}}},
      {kPaths,
       {{"type", "array"},
        {"items", text_schema()},
        {"description",
         "Files and folders below the server's folder, or names of library files, such as "
         "shoot-aws (see resources/list). \"-\" is the text in manifests, also in other arguments "
         "that name files"}}}};
  for (const Argument& argument : arguments_)
    properties[argument.name] = schema_of(argument);
  Json tool{{"name", name()},
            {"title", row_->title},
            {"description", description_},
            {"inputSchema",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"additionalProperties", false}}}};
  if (row_->output_schema != nullptr) {
    tool["outputSchema"] = row_->output_schema();
    tool["outputSchema"].erase("$schema");  // The protocol's default is the same draft.
  }
  tool["annotations"] = {{"title", row_->title},
                         {"readOnlyHint", true},
                         {"destructiveHint", false},
                         {"idempotentHint", true},
                         {"openWorldHint", false}};
  return tool;
}

Result<void, std::string> Tool::append(const Argument& argument, const Json& value,
                                       std::vector<std::string>& words) {
  const command::OptionOutline& option = argument.option;
  const std::string& name = option.names.back();
  const auto add = [&](const std::string& text) { words.push_back(name + "=" + text); };
  if (argument.form == ArgumentForm::Pair) {
    const auto paths = paths_in(argument.name, value);
    if (!paths) return fail(paths.error());
    if (paths->size() != 2) return wrong(argument.name, "give two strings");
    words.insert(words.end(), {name, paths->front(), paths->back()});
    return {};
  }
  if (argument.form == ArgumentForm::List || option.repeatable) {
    const auto texts = texts_in(argument.name, value);
    if (!texts) return fail(texts.error());
    std::ranges::for_each(*texts, add);
    return {};
  }
  if (option.is_flag() && argument.form != ArgumentForm::Word) {
    if (!value.is_boolean()) return wrong(argument.name, "give true or false");
    const std::string clearing = clearing_name(option);
    if (value.get<bool>())
      words.push_back(option.names.front());
    else if (!clearing.empty())
      words.push_back(clearing);
    return {};
  }
  if (is_number(option)) {
    if (!value.is_number_integer()) return wrong(argument.name, "give a whole number");
    add(value.dump());
    return {};
  }
  const auto text = text_in(argument.name, value);
  if (!text) return fail(text.error());
  add(*text);
  return {};
}

Result<void, std::string> Tool::check_names(const Json& arguments) const {
  std::vector<std::string_view> known{kManifests, kPaths};
  for (const Argument& argument : arguments_)
    known.push_back(argument.name);
  for (const auto& [name, unused] : arguments.items()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string_view meant = document::closest(name, known);
    return fail(fmt::format("there is no argument {}{}", name,
                            meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  return {};
}

Result<VerbCall, std::string> Tool::call(const Json& arguments) const {
  if (const auto checked = check_names(arguments); !checked) return fail(checked.error());
  VerbCall call{.verb = row_->verb, .arguments = {std::string(name())}, .input = {}};
  std::vector<std::string>& words = call.arguments;
  if (!row_->fixed_option.empty()) words.emplace_back(row_->fixed_option);
  bool names_files = false;
  bool names_input = false;
  for (const Argument& argument : arguments_) {
    const auto given = arguments.find(argument.name);
    if (given == arguments.end()) continue;
    const std::size_t before = words.size();
    if (const auto added = append(argument, *given, words); !added) return fail(added.error());
    if (!takes_files(argument.option)) continue;
    names_files = true;
    names_input |=
        std::any_of(words.begin() + static_cast<std::ptrdiff_t>(before), words.end(), is_input);
  }
  std::vector<std::string> paths;
  if (const auto given = arguments.find(kPaths); given != arguments.end()) {
    auto texts = paths_in(kPaths, *given);
    if (!texts) return fail(std::move(texts.error()));
    paths = *std::move(texts);
  }
  names_input |= std::ranges::any_of(paths, is_input);
  if (const auto given = arguments.find(kManifests); given != arguments.end()) {
    auto text = text_in(kManifests, *given);
    if (!text) return fail(std::move(text.error()));
    call.input = *std::move(text);
    if (!names_input) paths.push_back(kStandardInput);
  } else if (names_input) {
    return wrong(kManifests, "\"-\" names this text, which is not given");
  }
  if (paths.empty() && (needs_path_ || !names_files))
    return fail(std::string("there is no input; give manifests, which is their text, or paths"));
  words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  return call;
}

}  // namespace overlane::mcp

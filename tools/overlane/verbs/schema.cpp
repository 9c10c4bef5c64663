#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/schema/json_schema.h"

namespace overlane::command {
namespace {

ExitCode print_schema(const std::string& name, const std::string& file) {
  std::string text;
  for (const SchemaKind& kind : schema_kinds()) {
    if (kind.name == name) return write_text(file, kind.schema().dump(2) + "\n");
    text += fmt::format("{:<24}{}\n", kind.name, kind.about);
  }
  return write_text(file, text);
}

}  // namespace

void add_schema(CLI::App& program, Action& chosen) {
  struct Options {
    std::string kind;
    std::string file;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = program.add_subcommand("schema", "Print the JSON Schema of a kind of file");
  std::vector<std::string_view> names;
  for (const SchemaKind& kind : schema_kinds())
    names.push_back(kind.name);
  add_word(
      *verb, "KIND", names, [options](std::size_t i) { options->kind = schema_kinds()[i].name; },
      "The kind of file; without it, a list of them");
  verb->add_option("--out", options->file, "Write the result to this file")->type_name("FILE");
  verb->callback([options, &chosen] {
    chosen = [options] { return print_schema(options->kind, options->file); };
  });
}

}  // namespace overlane::command

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/model/run_environment.h"
#include "tools/overlane/cli/environment.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

ExitCode print_version(const std::string& program, const OutputOptions& options) {
  const model::Environment environment = this_environment();
  if (options.format == Format::Json) {
    nlohmann::ordered_json document{{"schema_version", 1}, {"kind", "Version"}};
    document.update(model::encode(environment));
    return write_json(options, document);
  }
  return write_text(options, fmt::format("{} {} ({}, {})\n", program, environment.overlane_version,
                                         environment.compiler, environment.build_type));
}

}  // namespace

void add_version(CLI::App& program, Action& chosen) {
  auto options = std::make_shared<OutputOptions>();
  CLI::App* verb = program.add_subcommand("version", "Print the version and build options");
  add_output_options(*verb, *options);
  verb->callback([options, &chosen, name = program.get_name()] {
    chosen = [options, name] { return print_version(name, *options); };
  });
}

}  // namespace overlane::command

#include <array>
#include <memory>

#include <CLI/CLI.hpp>

#include "tools/overlane/cli/completion_script.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

using Script = std::string (*)(const VerbOutline&);

constexpr std::array kShells = {Choice<Script>{"bash", &bash_completion},
                                Choice<Script>{"zsh", &zsh_completion},
                                Choice<Script>{"fish", &fish_completion}};

}  // namespace

void add_completion(CLI::App& program, Action& chosen) {
  auto script = std::make_shared<Script>(&bash_completion);
  CLI::App* verb = program.add_subcommand("completion", "Print a shell completion script");
  add_choice(*verb, "SHELL", *script, kShells, "The shell");
  verb->get_option("SHELL")->required();
  verb->callback([&program, script, &chosen] {
    chosen = [&program, script] { return write_text("", (*script)(outline(program))); };
  });
}

}  // namespace overlane::command

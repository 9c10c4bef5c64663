#include "tools/overlane/verbs/user_mode_linux.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::command {
namespace {

/// The command line of this process without the options for the place and for the output.
std::vector<std::string> inner_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');)
    words.push_back(word);
  std::vector<std::string> kept = {std::filesystem::read_symlink("/proc/self/exe")};
  constexpr std::array<std::string_view, 7> kValues = {"--place", "-o",    "--output", "--out",
                                                       "--html",  "--svg", "--save"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (name == "--quiet" || name == "--no-color") continue;
    if (std::ranges::count(kValues, name) == 0)
      kept.push_back(words[i]);
    else if (name == words[i])
      ++i;  // Its value is the next word.
  }
  return kept;
}

}  // namespace

Parsed<nlohmann::ordered_json> result_in_user_mode_linux(const std::vector<std::string>& more) {
  const auto folder = kernel::TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  const std::string file = folder->path() / "result.json";
  std::vector<std::string> command = inner_arguments();
  command.emplace_back("--quiet");
  command.insert(command.end(), more.begin(), more.end());
  command.push_back(file);
  const auto printed =
      kernel::run_in_user_mode_linux(command, std::filesystem::current_path(), *folder);
  if (!printed) return fail(printed.error());
  std::ifstream written(file);
  if (!written) return fail("user-mode Linux measured nothing: " + *printed);
  return nlohmann::ordered_json::parse(written, nullptr, false);
}

}  // namespace overlane::command

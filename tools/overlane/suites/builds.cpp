#include "tools/overlane/suites/builds.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "bench/suite/program.h"
#include "bench/suite/suite_runner.h"
#include "tools/overlane/cli/environment.h"

namespace overlane::command {

std::string folder_of_this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

model::Environment environment_of_build(const std::string& folder) {
  model::Environment environment = this_environment();
  for (std::string* text : {&environment.overlane_version, &environment.commit,
                            &environment.compiler, &environment.flags, &environment.build_type})
    *text = "unknown";
  const std::string program = suite::find_program(folder, "overlane");
  if (program.find('/') == std::string::npos) return environment;  // Not of this build.
  static const std::atomic<bool> kNever = false;
  const auto ran = suite::run_program({.words = {program, "version", "--output", "json"},
                                       .folder = "",
                                       .timeout = std::chrono::seconds(60)},
                                      kNever);
  if (!ran) return environment;
  const auto said = nlohmann::json::parse(ran->output, nullptr, false);
  if (!said.is_object()) return environment;
  const auto take = [&](const char* key, std::string& text) {
    if (const auto found = said.find(key); found != said.end() && found->is_string())
      text = found->get<std::string>();
  };
  take("overlane_version", environment.overlane_version);
  take("commit", environment.commit);
  take("compiler", environment.compiler);
  take("flags", environment.flags);
  take("build_type", environment.build_type);
  return environment;
}

}  // namespace overlane::command

#include "dataplane/kernel/experiment/place.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/experiment/experiment_json.h"
#include "dataplane/kernel/experiment/probe.h"
#include "dataplane/kernel/experiment/uml.h"

namespace overlane::kernel {
namespace {

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

/// Fewer are not worth another machine, which takes 5 s to boot.
constexpr std::size_t kWorthAMachine = 32;

/// What user-mode Linux answers. It mostly waits, so that a second one, which counts for itself,
/// takes half of many experiments.
Parsed<Answer> ask_machines(const Request& request, const InnerCommand& inner) {
  const auto count = static_cast<std::ptrdiff_t>(request.experiments.size());
  if (request.experiments.size() < kWorthAMachine) return ask_user_mode_linux(request, inner);
  const auto half = request.experiments.begin() + count / 2;
  const Request first{.experiments = {request.experiments.begin(), half},
                      .clusters = request.clusters,
                      .probe = request.probe};
  const Request second{.experiments = {half, request.experiments.end()}};
  auto later = std::async(std::launch::async, [&] { return ask_user_mode_linux(second, inner); });
  auto answer = ask_user_mode_linux(first, inner);
  auto rest = later.get();
  if (!answer) return answer;
  if (!rest) return rest;
  std::ranges::move(rest->outcomes, std::back_inserter(answer->outcomes));
  return answer;
}

}  // namespace

std::string_view to_string(Place place) {
  switch (place) {
    case Place::Namespaces:
      return "namespaces";
    case Place::UserModeLinux:
      return "uml";
  }
  return "";
}

Parsed<Answer> ask(Place place, const Request& request, const InnerCommand& inner) {
  switch (place) {
    case Place::Namespaces: {
      // Asked once here, so that the reason is said once.
      const auto allowed = NetworkNamespace::make();
      if (!allowed) return fail(allowed.error());
      return answer(request);
    }
    case Place::UserModeLinux:
      return ask_machines(request, inner);
  }
  return fail("no such place");
}

Answer answer(const Request& request) {
  Answer answer{.kernel = kernel_release()};
  for (const Experiment& experiment : request.experiments)
    answer.outcomes.push_back(run(experiment));
  for (const ClusterExperiment& cluster : request.clusters)
    answer.arrivals.push_back(run(cluster));
  if (request.probe) answer.abilities = probe();
  return answer;
}

Result<void, std::string> answer_files(const std::string& request_file,
                                       const std::string& answer_file) {
  std::ifstream file(request_file);
  if (!file) return fail(system_error(request_file));
  std::ofstream out(answer_file);
  try {
    out << encode(answer(decode_request(nlohmann::json::parse(file)))) << std::flush;
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("{}: {}", request_file, error.what()));
  }
  if (!out) return fail(system_error(answer_file));
  return {};
}

}  // namespace overlane::kernel

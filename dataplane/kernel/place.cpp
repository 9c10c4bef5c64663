#include "dataplane/kernel/place.h"

#include <atomic>
#include <fstream>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/experiment_json.h"
#include "dataplane/kernel/probe.h"
#include "dataplane/kernel/uml.h"

namespace overlane::kernel {
namespace {

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

/// An experiment mostly waits: for the kernel's own clean-up, for packets, for timers.
constexpr std::size_t kAtOnce = 4;

/// Outcomes in the order of the experiments. Each has namespaces of its own, so that they do not
/// meet.
std::vector<Parsed<std::vector<Observed>>> run_all(const std::vector<Experiment>& experiments) {
  std::vector<Parsed<std::vector<Observed>>> outcomes(experiments.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < experiments.size(); i = next++)
      outcomes[i] = run(experiments[i]);
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < kAtOnce; ++i)
      workers.emplace_back(work);
  }
  return outcomes;
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
      return ask_user_mode_linux(request, inner);
  }
  return fail("no such place");
}

Answer answer(const Request& request) {
  Answer answer{.kernel = kernel_release(), .outcomes = run_all(request.experiments)};
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

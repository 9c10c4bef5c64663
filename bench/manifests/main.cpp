// Measures how long reading and explaining generated shoots takes in every form, compared with
// parsers alone. Each reader runs in its own process, so that its peak memory is measured; the
// readers alternate.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "bench/manifests/generate.h"
#include "bench/manifests/readers.h"

namespace overlane::bench {
namespace {

struct Cost {
  double seconds = 0;
  double cpu_seconds = 0;  ///< User and kernel time of all cores.
  double peak_mb = 0;
};

double in_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Measures `run` in a child process; exits if it fails.
Cost cost_of(const std::function<void()>& run) {
  int ends[2];
  if (pipe(ends) != 0) std::exit(1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const Cost cost{took.count(), in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime),
                    static_cast<double>(usage.ru_maxrss) / 1024};
    _exit(write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  Cost cost;
  int status = 1;
  close(ends[1]);
  const bool answered = read(ends[0], &cost, sizeof cost) == sizeof cost;
  close(ends[0]);
  if (waitpid(child, &status, 0) != child || status != 0 || !answered) std::exit(1);
  return cost;
}

struct BenchmarkOptions {
  std::size_t shoots = 10'000;
  int rounds = 5;
  std::string_view only;
};

struct Input {
  const char* name;
  Shape shape;
  Form form;
};

constexpr Input kInputs[] = {
    {"small, YAML documents", Shape::Small, Form::YamlDocuments},
    {"small, YAML list", Shape::Small, Form::YamlList},
    {"small, JSON list", Shape::Small, Form::JsonList},
    {"small, JSON lines", Shape::Small, Form::JsonLines},
    {"live, YAML documents", Shape::Live, Form::YamlDocuments},
    {"live, YAML list", Shape::Live, Form::YamlList},
    {"live, JSON list", Shape::Live, Form::JsonList},
    {"live, JSON lines", Shape::Live, Form::JsonLines},
};

template <typename Member>
double median(const std::vector<Cost>& costs, Member member) {
  std::vector<double> values;
  for (const Cost& cost : costs)
    values.push_back(cost.*member);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void measure(const Input& input, const BenchmarkOptions& options, const std::string& path) {
  cost_of([&] { std::ofstream(path) << generate(input.shape, input.form, options.shoots); });
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const auto shoots = static_cast<double>(options.shoots);
  fmt::print("\n{}: {} shoots, {:.0f} bytes each, {:.1f} MB\n", input.name, options.shoots,
             bytes / shoots, bytes / 1e6);
  const bool yaml = input.form == Form::YamlDocuments || input.form == Form::YamlList;
  const auto ways = yaml ? yaml_ways() : json_ways();
  std::vector<std::vector<Cost>> costs(ways.size());
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t i = 0; i < ways.size(); ++i)
      costs[i].push_back(cost_of([&] { ways[i].run(path, options.shoots); }));
  const double first = median(costs[0], &Cost::seconds);
  fmt::print("  {:28} {:>9} {:>7} {:>13} {:>9} {:>9}\n", "", "seconds", "ratio", "CPU us/shoot",
             "MB/s", "peak MB");
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double seconds = median(costs[i], &Cost::seconds);
    fmt::print("  {:28} {:9.3f} {:7.2f} {:13.2f} {:9.1f} {:9.1f}\n", ways[i].name, seconds,
               seconds / first, median(costs[i], &Cost::cpu_seconds) * 1e6 / shoots,
               bytes / 1e6 / seconds, median(costs[i], &Cost::peak_mb));
  }
}

int run(const BenchmarkOptions& options) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("overlane-bench-explain-{}", getpid());
  for (const Input& input : kInputs)
    if (std::string_view(input.name).find(options.only) != std::string_view::npos)
      measure(input, options, path.string());
  std::filesystem::remove(path);
  return 0;
}

}  // namespace
}  // namespace overlane::bench

int main(int argc, char** argv) {
  overlane::bench::BenchmarkOptions options;
  if (argc > 4) {
    fmt::print(stderr, "usage: {} [SHOOTS [ROUNDS [PART-OF-A-NAME]]]\n", argv[0]);
    return 2;
  }
  if (argc > 1) options.shoots = std::strtoul(argv[1], nullptr, 10);
  if (argc > 2) options.rounds = static_cast<int>(std::strtol(argv[2], nullptr, 10));
  if (argc > 3) options.only = argv[3];
  if (options.shoots == 0 || options.rounds <= 0) return 2;
  return overlane::bench::run(options);
}

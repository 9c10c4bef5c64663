#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include "bench/manifests/generate.h"
#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/encode.h"

// Measures how long reading and explaining generated shoots takes in every form, compared with
// parsers alone. Each reader runs in its own process, so that its peak memory is measured; the
// readers alternate.

namespace overlane::bench {

namespace {

/// A method to read a file of shoots. Exits if it finds a wrong number of shoots.
struct Way {
  const char* name;
  std::function<void(const std::string& path, std::size_t shoots)> run;
};

void expect(std::size_t found, std::size_t shoots) {
  if (found == shoots) return;
  fmt::print(stderr, "read {} shoots instead of {}\n", found, shoots);
  std::exit(1);
}

/// Counts scalars "Shoot": the minimum work with parser events.
class NullEvents final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string& value) override {
    if (value == "Shoot") ++shoots;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  std::size_t shoots = 0;
};

void yaml_events(const std::string& path, std::size_t shoots) {
  std::ifstream input(path, std::ios::binary);
  YAML::Parser parser(input);
  NullEvents events;
  while (parser.HandleNextDocument(events)) {
  }
  expect(events.shoots, shoots);
}

/// Parses one `kind: List` document or concatenated documents.
void simdjson_dom(const std::string& path, std::size_t shoots) {
  simdjson::dom::parser parser;
  simdjson::padded_string text;
  if (simdjson::padded_string::load(path).get(text)) std::exit(1);
  std::size_t found = 0;
  for (const simdjson::dom::element document : parser.parse_many(text, text.size())) {
    simdjson::dom::array items;
    found += document["items"].get(items) == simdjson::SUCCESS ? items.size() : 1;
  }
  expect(found, shoots);
}

void nlohmann_json(const std::string& path, std::size_t shoots) {
  std::ifstream input(path, std::ios::binary);
  std::size_t found = 0;
  while (input >> std::ws && !input.eof()) {
    nlohmann::json document;
    input >> document;
    found += document.contains("items") ? document["items"].size() : 1;
  }
  expect(found, shoots);
}

void read_documents(const std::string& path, std::size_t shoots, unsigned threads) {
  std::size_t found = 0;
  const auto visit = [&](const Result<document::Tree>& document) {
    found += document && document->root()["spec"].exists() ? 1 : 0;
  };
  if (!document::read_each(path, visit, threads)) std::exit(1);
  expect(found, shoots);
}

void read_alone(const std::string& path, std::size_t shoots) {
  read_documents(path, shoots, 1);
}

void read_together(const std::string& path, std::size_t shoots) {
  read_documents(path, shoots, 0);
}

void explain_all(const std::string& path, std::size_t shoots) {
  const auto stream = document::read(path);
  if (!stream) std::exit(1);
  expect(explain::explain(*stream, {}).networks.size(), shoots);
}

void render_all(const std::string& path, std::size_t shoots, explain::Form form) {
  auto stream = document::read(path);
  if (!stream) std::exit(1);
  expect(explain::render(*std::move(stream), {}, form).networks, shoots);
}

void summarise_all(const std::string& path, std::size_t shoots) {
  render_all(path, shoots, explain::Form::Summary);
}

void encode_all(const std::string& path, std::size_t shoots) {
  render_all(path, shoots, explain::Form::Json);
}

void overlap_all(const std::string& path, std::size_t shoots) {
  auto stream = document::read(path);
  if (!stream) std::exit(1);
  overlap::Request request;
  request.landscapes.push_back({"", *std::move(stream), {}});
  const auto analysis = overlap::analyze(std::move(request));
  if (!analysis || overlap::encode(analysis->report).dump().empty()) std::exit(1);
  expect(analysis->report.shoots, shoots);
}

/// Reads and decodes a file and calls `work` with each shoot.
template <typename Work>
void decode_all(const std::string& path, std::size_t shoots, const Work& work) {
  const auto stream = document::read(path);
  if (!stream) std::exit(1);
  std::size_t found = 0;
  manifest::decode_each(*stream, manifest::Detail::Summary, work,
                        [&](std::size_t used) { found += used; });
  expect(found, shoots);
}

void decode_alone(const std::string& path, std::size_t shoots) {
  decode_all(path, shoots, [](const manifest::PodNetworkSpec&) { return std::size_t{1}; });
}

void outline_all(const std::string& path, std::size_t shoots) {
  const derive::DeriveOptions options;
  decode_all(path, shoots, [&](const manifest::PodNetworkSpec& spec) {
    return std::size_t{derive::outline(spec, options).network ? 1U : 0U};
  });
}

const std::array kYamlWays = {Way{"yaml-cpp's events, ignored", yaml_events},
                              Way{"read, 1 thread", read_alone},
                              Way{"read", read_together},
                              Way{"read and decode", decode_alone},
                              Way{"read and outline", outline_all},
                              Way{"read and explain", explain_all},
                              Way{"explain --summary", summarise_all},
                              Way{"explain -o json", encode_all},
                              Way{"overlap -o json", overlap_all}};
const std::array kJsonWays = {
    Way{"simdjson's DOM", simdjson_dom},  Way{"nlohmann-json", nlohmann_json},
    Way{"read, 1 thread", read_alone},    Way{"read", read_together},
    Way{"read and decode", decode_alone}, Way{"read and outline", outline_all},
    Way{"read and explain", explain_all}, Way{"explain --summary", summarise_all},
    Way{"explain -o json", encode_all},   Way{"overlap -o json", overlap_all}};

/// The YAML readers; the first one is the reference.
std::span<const Way> yaml_ways() {
  return kYamlWays;
}

std::span<const Way> json_ways() {
  return kJsonWays;
}

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

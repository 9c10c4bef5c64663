#include "bench/manifests/readers.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/report/encode.h"

namespace overlane::bench {

namespace {

void expect(std::size_t found, std::size_t shoots) {
  if (found == shoots) return;
  fmt::print(stderr, "read {} shoots instead of {}\n", found, shoots);
  std::exit(1);
}

/// Counts scalars "Shoot": the least work possible with parser events.
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

/// For one `kind: List` document, or concatenated documents.
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

/// Reads and decodes; calls `work` with each shoot.
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

}  // namespace

std::span<const Way> yaml_ways() {
  return kYamlWays;
}

std::span<const Way> json_ways() {
  return kJsonWays;
}

}  // namespace overlane::bench

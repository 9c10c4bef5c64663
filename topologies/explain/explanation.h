#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/documents/manifest_set.h"

// `overlane explain`: the effective dataplane of every Shoot and Network, each value with its
// reason and its source. The derivation is in topologies/derive; this folder describes its result
// as text, as a summary with one row per network, and as JSON. Large landscapes are explained one
// network at a time, to limit the memory for documents and results; `explain_each` documents the
// threads of its callbacks.
namespace overlane::explain {

/// The result of `overlane explain`.
struct Explanation {
  std::vector<effective::EffectiveDataplane> networks;
  Findings findings;
};

/// Explains every Shoot and Network of the stream. A document without a network has a finding. The
/// result does not depend on the number of threads (0: one per core).
Explanation explain(document::Stream stream, const derive::DeriveOptions& options,
                    unsigned threads = 0);

/// Explains one network at a time: `work` gets each on any thread, concurrently; `deliver` gets the
/// results in document order on the calling thread. Returns the findings. Documents are freed as
/// soon as they are explained. `progress`: networks, of the documents.
template <typename Work, typename Deliver>
Findings explain_each(document::Stream stream, derive::DeriveOptions options, Work work,
                      Deliver deliver, unsigned threads = 0,
                      const document::Progress& progress = {}) {
  struct Worked {
    Findings findings;
    std::optional<std::invoke_result_t<Work&, effective::EffectiveDataplane>> result;
  };
  derive::take_network_providers(stream, options.declarative);
  Findings of_networks;
  const std::uint64_t documents = stream.documents.size();
  std::uint64_t explained = 0;
  manifest::Leftover rest = manifest::decode_each(
      std::move(stream), manifest::Detail::Summary,
      [&](const manifest::PodNetworkSpec& spec) {
        auto network = derive::derive(spec, options);
        if (!network) return Worked{{network.error()}, {}};
        Worked worked{network->findings, {}};
        worked.result.emplace(work(*std::move(network)));
        return worked;
      },
      [&](Worked worked) {
        std::ranges::move(worked.findings, std::back_inserter(of_networks));
        if (worked.result) deliver(*std::move(worked.result));
        if (progress) progress(++explained, documents);
      },
      threads);
  std::ranges::move(of_networks, std::back_inserter(rest.findings));
  for (const manifest::PodNetworkSpec& fragment : rest.fragments)
    if (auto refusal = manifest::not_admitted(derive::judge_config(fragment, options)))
      rest.findings.push_back(*std::move(refusal));
  return std::move(rest.findings);
}

/// A row of the summary: its cells one after the other, since there are many rows.
class SummaryRow {
 public:
  static constexpr std::size_t kCells = 8;

  explicit SummaryRow(const std::array<std::string, kCells>& cells);
  static SummaryRow header();
  static SummaryRow of(const effective::EffectiveDataplane& network);

  std::string_view operator[](std::size_t cell) const;

 private:
  std::string text_;
  std::array<std::uint32_t, kCells> ends_{};
};

/// A network with each value's reason and location.
std::string print_network(const effective::EffectiveDataplane& network);

// The JSON document of kind Explanation in parts: the head, each network, the tail. A network
// begins with a comma, which the first one must not have.
std::string json_head();
std::string json_part(const effective::EffectiveDataplane& network);
std::string json_tail(bool has_networks, const Findings& findings);

// Puts explanations together in one of three forms. Networks are rendered on several threads and
// added in document order on the caller's thread.

enum class Form : std::uint8_t {
  Text,     ///< Every network with its reasons; a summary first if there are several; findings.
  Summary,  ///< One row per network; findings.
  Json,     ///< The JSON document of kind Explanation.
};

/// Puts the texts of networks and the findings together.
class Renderer {
 public:
  explicit Renderer(Form form) : form_(form) {}

  /// One network in the renderer's form.
  struct Network {
    std::optional<SummaryRow> row;
    std::string text;
  };
  Network render(const effective::EffectiveDataplane& network) const;  ///< On any thread.
  void add(Network rendered);
  std::size_t networks() const { return networks_; }
  /// The parts of the whole text, in order.
  std::vector<std::string> finish(const Findings& findings);

 private:
  Form form_;
  std::size_t networks_ = 0;
  std::vector<SummaryRow> rows_;
  std::vector<std::string> texts_;
};

/// What `overlane explain` prints.
struct Rendering {
  std::size_t networks = 0;
  std::vector<std::string> text;  ///< In parts, to be written one after the other.
  Findings findings;
};

/// Explains and renders one network after the other, so that none is kept.
Rendering render(document::Stream stream, const derive::DeriveOptions& options, Form form,
                 unsigned threads = 0, const document::Progress& progress = {});

}  // namespace overlane::explain

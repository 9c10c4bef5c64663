#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/report/style.h"
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

/// Returns a pod network as admission stores it, and sets the stage at which to derive it. Called
/// on any thread, concurrently.
using Admission =
    std::function<manifest::PodNetworkSpec(manifest::PodNetworkSpec, derive::StageChoice&)>;

/// Explains every Shoot and Network of the stream, after `admit` if it is given. A document without
/// a network gets a finding. The result does not depend on the number of threads (0: one per core).
Explanation explain(document::Stream stream, const derive::DeriveOptions& options,
                    unsigned threads = 0, const Admission& admit = {});

/// derive::derive() after `admit`, if it is given.
Result<effective::EffectiveDataplane> derive_admitted(const manifest::PodNetworkSpec& spec,
                                                      const derive::DeriveOptions& options,
                                                      const Admission& admit);

/// Explains one network at a time: `work` gets each on any thread, concurrently; `deliver` gets the
/// results in document order on the calling thread. Returns the findings. Documents are freed as
/// soon as they are explained. `progress` gets the number of networks explained so far and the
/// number of documents, on the calling thread.
template <typename Work, typename Deliver>
Findings explain_each(document::Stream stream, derive::DeriveOptions options, Work work,
                      Deliver deliver, unsigned threads = 0,
                      const document::Progress& progress = {}, const Admission& admit = {}) {
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
        auto network = derive_admitted(spec, options, admit);
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

/// A row of the summary: the cells of one network. They share one string to save memory, because a
/// landscape has many rows.
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

/// The text of one network: each value with its reason and source.
std::string print_network(const effective::EffectiveDataplane& network);

// The JSON document of kind Explanation in three kinds of parts: head, network and tail.
// json_part() begins with a comma, which the caller removes from the first network.
std::string json_head();
std::string json_part(const effective::EffectiveDataplane& network);
std::string json_tail(bool has_networks, const Findings& findings);

/// The form of the output of `overlane explain`.
enum class Form : std::uint8_t {
  Text,     ///< Every network with its reasons; a summary first if there are several; findings.
  Summary,  ///< One row per network; findings.
  Json,     ///< The JSON document of kind Explanation.
};

/// Combines the texts of networks and the findings in one form. render() may run on several
/// threads; add() and finish() run on the caller's thread, add() in document order.
class Renderer {
 public:
  explicit Renderer(Form form, report::Style style = report::Style::Plain)
      : form_(form), style_(style) {}

  /// One network in the renderer's form.
  struct Network {
    std::optional<SummaryRow> row;
    std::string text;
  };
  Network render(const effective::EffectiveDataplane& network) const;
  void add(Network rendered);
  std::size_t networks() const { return networks_; }
  /// The parts of the whole text, in order. Call it once, after the last add().
  std::vector<std::string> finish(const Findings& findings);

 private:
  Form form_;
  report::Style style_;
  std::size_t networks_ = 0;
  std::vector<SummaryRow> rows_;
  std::vector<std::string> texts_;
};

/// The output of `overlane explain`.
struct Rendering {
  std::size_t networks = 0;
  std::vector<std::string> text;  ///< Parts to write one after the other.
  Findings findings;
};

/// Explains and renders networks as explain_each() does, with the same `threads` and `progress`.
/// Keeps only the texts of the networks.
Rendering render(document::Stream stream, const derive::DeriveOptions& options, Form form,
                 unsigned threads = 0, const document::Progress& progress = {},
                 report::Style style = report::Style::Plain);

}  // namespace overlane::explain

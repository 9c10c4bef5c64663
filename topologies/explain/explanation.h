#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/effective_dataplane.h"

// `overlane explain`: the effective dataplane of every Shoot and Network, each value with the
// reason for it and the place that decides it. The derivation is in topologies/derive; this folder
// describes its result as text, as a summary with one row per network, and as JSON. Large
// landscapes are explained one network at a time, so that neither documents nor results pile up:
// see `explain_each` for which function runs on which thread.
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

/// Explains one network at a time: `work` gets each on any thread, concurrently; the function that
/// it returns is called in document order on the calling thread. Returns the findings. Documents
/// are freed as soon as they are explained. `progress`: networks, of the documents.
using NetworkWork = std::function<std::function<void()>(effective::EffectiveDataplane&&)>;
Findings explain_each(document::Stream stream, const derive::DeriveOptions& options,
                      const NetworkWork& work, unsigned threads = 0,
                      const document::Progress& progress = {});

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

}  // namespace overlane::explain

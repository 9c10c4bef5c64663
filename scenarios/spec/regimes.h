#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/sources/citation.h"

namespace overlane::spec {

// Regimes that the simulator does not model, such as BBR or BIG TCP: settings of kernels, NICs,
// CNIs and clouds that change how packets are carried. An input that asks for one of them runs
// without it, and the report says so with the finding `unsupported-regime` and in its first lines,
// because its figures are not those of such a cluster. One table has all regimes, with the keys
// that ask for them; the page docs/reference/regimes.md is written from it. Settings that files of
// this project cannot hold at all are refused as unknown keys and words.
//
// A RegimeStatement is one place in an input that asks for a regime. Documents are scanned for the
// statements of their kind: the workers' sysctls of a Shoot, the ConfigMap cilium-config of a
// cluster, and the machine of a Topology or MeasurementTable.

/// The regimes, in the order of their table.
enum class Regime : std::uint8_t {
  Bbr,
  CongestionControl,
  Ecn,
  HardwareGro,
  LargeReceiveOffload,
  AdaptiveModeration,
  BigTcp,
  Netkit,
  HostRouting,
  XdpAcceleration,
  Numa,
  FlowAllowance,
};

/// The facts about a regime.
struct RegimeFacts {
  Regime regime;
  std::string_view name;      ///< Stable kebab-case id.
  std::string_view title;     ///< Name of the regime in a message.
  std::string_view asked_by;  ///< The keys and values of inputs that ask for it, in Markdown.
  std::string_view left_out;  ///< What runs instead, and the effect that is left out.
  sources::Citation source;
};

std::span<const RegimeFacts> regimes();
const RegimeFacts& facts(Regime regime);

/// One place in an input that asks for a regime.
struct RegimeStatement {
  Regime regime = Regime::Bbr;
  std::string setting;  ///< "net.ipv4.tcp_ecn: 1".
  ObjectName object;
  std::string path;
  SourceLocation place;
  std::string hint;  ///< What to do instead; may be empty.
};

/// The statement that `value`, an entry of a document about `object`, makes.
RegimeStatement statement(Regime regime, const document::Value& value, ObjectName object);

/// The statements of a Kubernetes document: a Shoot's sysctls, or the settings of the ConfigMap
/// cilium-config. Other kinds have none.
std::vector<RegimeStatement> regimes_of(const document::Tree& document);

/// Reads the keys of the block `machine` that state a regime. `offloads` is its block of that name.
std::vector<RegimeStatement> decode_regimes(document::Fields& machine, document::Fields& offloads);

/// The finding about one statement, a warning.
Finding unsupported(const RegimeStatement& statement);

}  // namespace overlane::spec

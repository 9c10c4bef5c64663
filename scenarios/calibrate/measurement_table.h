#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/encap/encapsulation.h"
#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "scenarios/spec/optional_fields.h"
#include "scenarios/spec/topology_file.h"
#include "sim/cost/cost_profile.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::calibrate {

// A `kind: MeasurementTable` file: published or own measurements of pod networks between two
// identical hosts. A table has systems (a CNI with its encapsulation and datapath) and rows (a
// system, a load, and the measured figures). The rows serve to fit a host model or to check it.

/// The two identical hosts of a table.
struct Hosts {
  /// `cores` (hardware threads) is always set; so is `nic`, unless the wire is a veth pair. No
  /// allowances.
  spec::MachineSpec machine;
  cost::Wire wire = cost::Wire::Nic;
  std::uint32_t link_mtu = 1500;  ///< Bytes of an IP packet.
  std::optional<Picos> latency;   ///< One way, wire and NICs; empty: fitted.
  std::string kernel;             ///< Default of rows; the profile's costs hold under it.
};

/// A measured pod network.
struct System {
  std::string name;
  std::string family;  ///< The CNI; order is checked within a family and kernel.
  cost::Datapath datapath = cost::Datapath::Netfilter;
  Encapsulation encapsulation = Encapsulation::None;
  std::optional<std::uint32_t> pod_mtu;  ///< Empty: the link's minus the encapsulation's overhead.
  std::vector<spec::OffloadSwitch> offloads;  ///< Other than the host's.
};

/// The quantity of a row's figure.
enum class Quantity : std::uint8_t {
  Throughput,    ///< Delivered payload of all flows, in bit/s.
  Transactions,  ///< Transactions of all flows, per second.
  ClientCpu,     ///< CPU time of the client's host per transaction, in nanoseconds.
  ServerCpu,
  ClientLoad,  ///< Busy share of all hardware threads of the client: 0…1.
  ServerLoad,
};
inline constexpr std::size_t kQuantities = 6;

struct Figure {
  Quantity quantity = Quantity::Throughput;
  double value = 0;  ///< Above 0, in the quantity's unit.
};

/// How a row is used.
enum class Use : std::uint8_t {
  Fit,      ///< Constants are fitted to it.
  Check,    ///< Compared with the prediction by the fitted constants.
  LeftOut,  ///< Neither; `because` has the reason.
};

/// One line of a table: a system, its load, and the measured figures.
struct MeasurementRow {
  std::size_t system = 0;  ///< Position.
  std::string kernel;
  model::TrafficKind kind = model::TrafficKind::Tcp;
  std::uint32_t flows = 1;
  std::uint32_t request_bytes = 1;
  std::uint32_t response_bytes = 1;
  bool over_udp = false;                 ///< request-response: over UDP.
  bool connection_per_request = false;   ///< request-response: over TCP, with a handshake each.
  std::uint32_t payload_bytes = 0;       ///< udp: per datagram; 0: unknown.
  std::optional<BitsPerSecond> rate;     ///< udp: offered by each flow; empty: as fast as possible.
  std::optional<std::uint32_t> pod_mtu;  ///< If different from the system's.
  std::optional<std::uint32_t> link_mtu;      ///< If different from the hosts'.
  std::vector<spec::OffloadSwitch> offloads;  ///< If different from the system's.
  double spread = 0;                          ///< Between repetitions of a figure: 0.03 is 3 %.
  std::vector<Figure> figures;                ///< At least one, of different quantities.
  Use use = Use::Fit;
  std::string because;  ///< Why it is excluded.
  SourceLocation place;
};

/// A ratio of two systems and the accepted absolute error.
struct RatioBound {
  std::size_t system = 0;
  std::size_t baseline = 0;
  double within = 0;
};

/// A `kind: MeasurementTable` file.
struct MeasurementTable {
  std::string name;
  std::string description;
  std::string source;
  double spread = 0;  ///< Between repetitions of a figure; default of rows.
  Hosts hosts;
  std::vector<System> systems;
  std::vector<MeasurementRow> rows;
  std::vector<RatioBound> ratios;

  const System& system_of(const MeasurementRow& row) const { return systems[row.system]; }
};

/// Whether two rows differ in their systems and figures at most.
bool have_equal_loads(const MeasurementRow& a, const MeasurementRow& b);

/// Two rows with the same load, and a bound on their ratio.
struct RatioRows {
  std::size_t row = 0;
  std::size_t baseline = 0;  ///< Row.
  double within = 0;
};
std::vector<RatioRows> ratio_rows(const MeasurementTable& table);

/// Decodes a table; reports all errors, each with its location.
Result<MeasurementTable, Findings> decode_table(const document::Tree& tree);
/// Decodes the fields of a MeasurementTable; adds errors to the fields' Problems.
MeasurementTable decode_table(document::Fields& root);

std::string_view to_string(Use use);
/// "throughput", "transactions", "client CPU" …
std::string_view to_string(Quantity quantity);
/// Name in the JSON: "throughput_bps", "transactions_per_second", "client_cpu_ns_per_transaction" …
std::string_view json_name(Quantity quantity);

inline constexpr std::array kUses = {spec::Word<Use>{"fit", Use::Fit},
                                     spec::Word<Use>{"check", Use::Check},
                                     spec::Word<Use>{"left-out", Use::LeftOut}};

inline constexpr std::array kDatapaths = {
    spec::Word<cost::Datapath>{"host", cost::Datapath::Host},
    spec::Word<cost::Datapath>{"netfilter", cost::Datapath::Netfilter},
    spec::Word<cost::Datapath>{"ebpf", cost::Datapath::Ebpf}};

/// Decodes `rows` of a table; its hosts and systems must be decoded already.
std::vector<MeasurementRow> decode_rows(document::Fields& spec, const MeasurementTable& table);

/// The block `offloads` of a system or a row, which `key` describes.
std::vector<spec::OffloadSwitch> decode_offloads(document::Fields& fields,
                                                 const document::FieldKey& key);
/// `spreadPercent`, as a share.
std::optional<double> spread(document::Fields& fields, const document::FieldKey& key);
/// Reports an error if `key` is missing although another key requires it. An absent mapping has no
/// required keys.
void demand(document::Fields& fields, std::string_view key, std::string_view because);
/// A number above zero.
std::optional<double> positive(document::Fields& fields, const document::FieldKey& key);
/// The position of the system named by a required field; an unknown name is an error.
std::size_t position_of(document::Fields& fields, const document::FieldKey& key,
                        const std::vector<System>& systems);

}  // namespace overlane::calibrate

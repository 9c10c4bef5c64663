
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_file.h"
#include "dataplane/dpdk/io/eal.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/forward/read_packet.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/verify/verifier.h"
#include "dataplane/wire/ethernet.h"
#include "tools/fastpath/command_line.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {
namespace {

/// Offset of a link header's EtherType, and the header's length.
struct LinkHeader {
  std::size_t ether_type_at;
  std::size_t bytes;
};

/// The link header's properties. Nothing if the link type has no header or no EtherType.
std::optional<LinkHeader> header_of(capture::LinkType link) {
  switch (link) {
    case capture::LinkType::Ethernet:
      return LinkHeader{12, wire::kEthernetBytes};
    case capture::LinkType::LinuxCooked:
      return LinkHeader{14, 16};
    case capture::LinkType::LinuxCooked2:
      return LinkHeader{0, 20};
    case capture::LinkType::RawIp:
    case capture::LinkType::Ipv4:
    case capture::LinkType::Ipv6:
    case capture::LinkType::Null:
    case capture::LinkType::Loop:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The bytes of a captured packet from its IP header on. Nothing if it has no IP header, has a VLAN
/// tag, or its link header is truncated.
std::optional<std::span<const std::uint8_t>> ip_of(std::span<const std::uint8_t> bytes,
                                                   capture::LinkType link) {
  // Null and Loop: the address family only repeats the IP version.
  if (link == capture::LinkType::Null || link == capture::LinkType::Loop) {
    return bytes.size() < 4 ? std::nullopt : std::optional(bytes.subspan(4));
  }
  const auto header = header_of(link);
  if (!header) return bytes;
  if (bytes.size() < header->bytes) return std::nullopt;
  const std::uint16_t type = load_be16(bytes.data() + header->ether_type_at);
  if (type != wire::kEtherTypeIpv4 && type != wire::kEtherTypeIpv6) return std::nullopt;
  return bytes.subspan(header->bytes);
}

/// The result for one packet of a capture.
struct VerifiedPacket {
  std::uint64_t number = 0;  ///< Index in the capture.
  std::size_t bytes = 0;     ///< From the IP header on.
  forward::Ingress ingress = forward::Ingress::Uplink;
  verify::Comparison comparison;
};

/// Writes packets one by one in the requested format, and counts them.
class VerifyReport {
 public:
  VerifyReport(const command::OutputOptions& options, command::ResultStream& to);

  /// Adds a packet. Returns false if the output cannot be written.
  bool add(const VerifiedPacket& packet);
  /// Adds a change of state before the packet of this number.
  bool add_change(std::uint64_t number, const verify::Comparison& comparison);
  /// Adds a packet that was not sent through the node.
  bool skip(std::uint64_t number, const std::string& why);
  void finish();

  /// Number of compared packets.
  std::uint64_t packets() const { return packets_; }
  std::uint64_t differences() const { return differences_; }

 private:
  bool write(const std::string& json, const std::string& text);

  command::Format format_;
  command::ResultStream& to_;
  std::uint64_t packets_ = 0;
  std::uint64_t ahead_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t differences_ = 0;
  bool is_first_ = true;
};

using command::Format;
using Json = nlohmann::ordered_json;

Json encode(const std::vector<dpdk::SentPacket>& packets) {
  Json all = Json::array();
  for (const dpdk::SentPacket& sent : packets) {
    all.push_back({{"egress", to_string(sent.egress)},
                   {"next_hop", sent.next_hop.to_string()},
                   {"length_bytes", sent.packet.size()}});
  }
  return all;
}

Json difference_of(const verify::Comparison& comparison) {
  return comparison.difference.empty() ? Json() : Json(comparison.difference);
}

Json encode(const VerifiedPacket& packet) {
  const verify::Comparison& comparison = packet.comparison;
  Json json{{"number", packet.number},
            {"ingress", to_string(packet.ingress)},
            {"length_bytes", packet.bytes},
            {"way", comparison.ahead ? "adjacency" : "full-path"}};
  json["sent"] = encode(comparison.sent);
  json["drop"] = nullptr;
  if (comparison.expected.drop) json["drop"] = to_string(*comparison.expected.drop);
  json["held"] = comparison.expected.held.has_value();
  json["difference"] = difference_of(comparison);
  return json;
}

std::string difference_text(const verify::Comparison& comparison) {
  if (comparison.difference.empty()) return "";
  return fmt::format("\n       DIFFERENT from the reference: {}", comparison.difference);
}

std::string to_text(const VerifiedPacket& packet) {
  const verify::Comparison& comparison = packet.comparison;
  std::string text =
      fmt::format("{:>5}  from {:<6} {:>5} bytes  {:<9}", packet.number, to_string(packet.ingress),
                  packet.bytes, comparison.ahead ? "adjacency" : "full path");
  for (const dpdk::SentPacket& sent : comparison.sent)
    text += fmt::format("  {}, {} bytes;", verify::to_string(sent), sent.packet.size());
  if (text.back() == ';') text.pop_back();
  if (comparison.expected.held) text += "  waits for its other fragments";
  if (comparison.expected.drop) {
    const DropFacts& drop = facts(*comparison.expected.drop);
    text += fmt::format("  dropped, {}: {}", drop.name, drop.meaning);
  }
  return text + difference_text(comparison) + "\n";
}

VerifyReport::VerifyReport(const command::OutputOptions& options, command::ResultStream& to)
    : format_(options.format), to_(to) {
  if (format_ == Format::Json) {
    to_.write("{\n\"schema_version\": 1,\n\"kind\": \"VerifiedPackets\",\n\"packets\": [");
  }
}

bool VerifyReport::write(const std::string& json, const std::string& text) {
  if (format_ == Format::Table) return to_.write(text);
  if (format_ == Format::JsonLines) return to_.write(json + "\n");
  return to_.write((std::exchange(is_first_, false) ? "\n" : ",\n") + json);
}

bool VerifyReport::add(const VerifiedPacket& packet) {
  ++packets_;
  ahead_ += packet.comparison.ahead;
  dropped_ += packet.comparison.expected.drop.has_value();
  differences_ += !packet.comparison.difference.empty();
  return write(encode(packet).dump(), to_text(packet));
}

bool VerifyReport::add_change(std::uint64_t number, const verify::Comparison& comparison) {
  ++changes_;
  differences_ += !comparison.difference.empty();
  const Json json{{"number", number},
                  {"state_change", changes_},
                  {"sent", encode(comparison.sent)},
                  {"difference", difference_of(comparison)}};
  return write(json.dump(), fmt::format("{:>5}  before it: state {}{}\n", number, changes_ + 1,
                                        difference_text(comparison)));
}

bool VerifyReport::skip(std::uint64_t number, const std::string& why) {
  ++skipped_;
  return write(Json{{"number", number}, {"skipped", why}}.dump(),
               fmt::format("{:>5}  skipped: {}\n", number, why));
}

void VerifyReport::finish() {
  if (format_ == Format::Table) {
    to_.write(fmt::format("{} packet{}: {} by adjacencies, {} on the full path, {} dropped; {}\n",
                          packets_, packets_ == 1 ? "" : "s", ahead_, packets_ - ahead_, dropped_,
                          differences_ == 0
                              ? "all as the reference has it"
                              : fmt::format("{} DIFFERENT from the reference", differences_)));
    if (skipped_ > 0) to_.write(fmt::format("{} skipped\n", skipped_));
  } else if (format_ == Format::Json) {
    const Json summary{{"packets", packets_},       {"by_adjacencies", ahead_},
                       {"dropped", dropped_},       {"skipped", skipped_},
                       {"state_changes", changes_}, {"differences", differences_}};
    to_.write(fmt::format("\n],\n\"summary\": {}\n}}\n", summary.dump()));
  }
}

using command::ExitCode;
using forward::Ingress;

/// The largest packet that fits a buffer after its headroom and Ethernet header.
constexpr std::uint32_t kMtu = 65'535 - 128 - 14;

constexpr std::array kIngresses = {
    command::Choice<std::optional<Ingress>>{"auto", std::nullopt},
    command::Choice<std::optional<Ingress>>{"pod", Ingress::Pod},
    command::Choice<std::optional<Ingress>>{"uplink", Ingress::Uplink},
    command::Choice<std::optional<Ingress>>{"host", Ingress::Host},
};

struct VerifyOptions {
  SubjectOptions subject;
  command::OutputOptions output;
  std::string capture;
  std::string written;  ///< Empty: packets that leave are not captured.
  std::optional<Ingress> ingress;
  std::vector<std::pair<std::uint64_t, std::string>> changes;  ///< First packet, file.
  dpdk::EalOptions eal{.hugepages = false, .memory_mib = 512};
};

/// The ingress of a packet, derived from its source. Nothing if the node itself sent the packet.
std::optional<Ingress> ingress_of(const node::NodeState& state,
                                  std::span<const std::uint8_t> packet) {
  const auto read = forward::read_packet(state, packet);
  if (!read) return Ingress::Uplink;
  const IpAddress source = read->outermost().source;
  if (state.find_pod(source) != nullptr) return Ingress::Pod;
  if (node::is_local(state, source)) return std::nullopt;
  return Ingress::Uplink;
}

/// Time since the first packet of a capture; never decreases.
class CaptureClock {
 public:
  Picos at(const capture::Timestamp& timestamp) {
    if (!std::exchange(began_, true)) first_ = timestamp;
    if (timestamp < first_) return now_;
    // Timestamps in a file are arbitrary; Picos can represent 106 days.
    constexpr std::uint64_t kMaxVerifySeconds = 90 * 86'400;
    const std::uint64_t whole = std::min(
        static_cast<std::uint64_t>(timestamp.seconds) - static_cast<std::uint64_t>(first_.seconds),
        kMaxVerifySeconds);
    const Picos since = seconds(static_cast<std::int64_t>(whole)) +
                        nanoseconds(timestamp.nanoseconds) - nanoseconds(first_.nanoseconds);
    return now_ = std::max(now_, since);
  }

 private:
  bool began_ = false;
  capture::Timestamp first_;
  Picos now_;
};

/// The node's state from a packet of the capture onwards.
struct Change {
  std::uint64_t number = 0;
  std::shared_ptr<const node::NodeState> state;
};

class Verify {
 public:
  /// `changes` are sorted by number.
  Verify(const VerifyOptions& options, std::span<const Change> changes, verify::Verifier& verifier,
         VerifyReport& report, capture::CaptureWriter* writer)
      : options_(options),
        changes_(changes),
        verifier_(verifier),
        report_(report),
        writer_(writer) {}

  /// Sends a packet through the node. Returns false if verification cannot continue.
  bool take(const capture::CapturedPacket& captured, capture::LinkType link) {
    const Picos now = clock_.at(captured.timestamp);
    for (; !changes_.empty() && changes_[0].number <= captured.number;
         changes_ = changes_.subspan(1)) {
      if (!change(captured, changes_[0].state, now)) return false;
    }
    if (captured.bytes.size() < captured.length_bytes) {
      return report_.skip(captured.number, "the capture has only a part of it");
    }
    const auto packet = ip_of(captured.bytes, link);
    if (!packet) return report_.skip(captured.number, "it is no IP packet");
    if (packet->size() > kMtu) return report_.skip(captured.number, "it is too long");
    const auto ingress =
        options_.ingress ? options_.ingress : ingress_of(verifier_.state(), *packet);
    if (!ingress) return report_.skip(captured.number, "the node itself sent it (see --ingress)");
    auto comparison = verifier_.arrive(*packet, *ingress, now);
    if (comparison.on_link_only && comparison.difference.empty()) {
      return report_.skip(captured.number, "it is a message between neighbours");
    }
    write(captured, comparison);
    return report_.add({captured.number, packet->size(), *ingress, std::move(comparison)});
  }

  /// The number of the packet before which the next state applies. Nothing if no change is left.
  std::optional<std::uint64_t> next_change() const {
    return changes_.empty() ? std::nullopt : std::optional(changes_[0].number);
  }

  /// The reason why verification stopped; empty if it did not.
  const std::string& failure() const { return failure_; }

 private:
  bool change(const capture::CapturedPacket& captured, std::shared_ptr<const node::NodeState> state,
              Picos now) {
    auto generation = dpdk::generation(std::move(state));
    if (!generation) {
      failure_ = generation.error();
      return false;
    }
    const auto comparison = verifier_.change(std::move(*generation), now);
    write(captured, comparison);
    return report_.add_change(captured.number, comparison);
  }

  void write(const capture::CapturedPacket& captured, const verify::Comparison& comparison) {
    if (writer_ == nullptr) return;
    for (const dpdk::SentPacket& sent : comparison.sent)
      writer_->write(captured.timestamp, sent.packet);
  }

  const VerifyOptions& options_;
  std::span<const Change> changes_;  ///< Changes not yet applied.
  verify::Verifier& verifier_;
  VerifyReport& report_;
  capture::CaptureWriter* writer_;
  CaptureClock clock_;
  std::string failure_;
};

ExitCode run_failed(const std::string& why) {
  command::print_error(why);
  return ExitCode::RunFailed;
}

ExitCode run_failed(const Finding& why) {
  command::print_findings({why}, false);
  return ExitCode::RunFailed;
}

/// Processes every packet of the capture. Returns a Finding if the capture is truncated.
Result<void> take_all(capture::CaptureReader& reader, Verify& verify) {
  for (;;) {
    auto packet = reader.next();
    if (!packet) return fail(packet.error());
    if (!*packet || !verify.take(**packet, reader.link_type())) return {};
  }
}

ExitCode verify_capture(const VerifyOptions& options, capture::CaptureReader& reader,
                        capture::CaptureWriter* writer, std::span<const Change> states) {
  const auto eal = dpdk::Eal::start(options.eal);
  if (!eal) return run_failed(eal.error());
  auto verifier = verify::Verifier::make(kMtu);
  if (!verifier) return run_failed(verifier.error());
  auto generation = dpdk::generation(states[0].state);
  if (!generation) return run_failed(generation.error());
  verifier->change(std::move(*generation), Picos{});
  command::ResultStream stream(options.output.file);
  VerifyReport report(options.output, stream);
  Verify verify(options, states.subspan(1), *verifier, report, writer);
  const auto read = take_all(reader, verify);
  report.finish();
  if (!verify.failure().empty()) return run_failed(verify.failure());
  if (!read) command::print_findings({read.error()}, false);
  const ExitCode written = stream.finish();
  if (written != ExitCode::Clean) return written;
  if (read && report.packets() == 0) {
    command::print_error(options.capture + " holds no packet that could be compared");
    return ExitCode::NoInput;
  }
  if (const auto number = verify.next_change(); read && number) {
    command::print_error(
        fmt::format("{} ends before packet {} (--then)", options.capture, *number));
    return ExitCode::NoInput;
  }
  return read && report.differences() == 0 ? ExitCode::Clean : ExitCode::Finding;
}

/// The first state and the later ones, sorted by packet number.
Result<std::vector<Change>, ExitCode> load_states(const VerifyOptions& options) {
  auto inputs = options.changes;
  std::ranges::stable_sort(inputs, {}, &std::pair<std::uint64_t, std::string>::first);
  auto first = load_node(options.subject);
  if (!first) return fail(first.error());
  std::vector<Change> states{{0, std::move(*first)}};
  for (const auto& [number, file] : inputs) {
    SubjectOptions subject = options.subject;
    subject.input.paths = {file};
    auto state = load_node(subject);
    if (!state) return fail(state.error());
    states.push_back({number, std::move(*state)});
  }
  return states;
}

ExitCode verify(const VerifyOptions& options) {
  const auto states = load_states(options);
  if (!states) return states.error();
  auto reader = capture::CaptureReader::open(options.capture);
  if (!reader) {
    command::print_findings({reader.error()}, false);
    return ExitCode::NoInput;
  }
  if (options.written.empty()) {
    return verify_capture(options, *reader, nullptr, *states);
  }
  std::error_code none;
  if (std::filesystem::equivalent(options.capture, options.written, none)) {
    command::print_error("--write would overwrite the capture that is read");
    return ExitCode::Usage;
  }
  auto writer = capture::CaptureWriter::create(options.written, capture::LinkType::RawIp);
  if (!writer) return run_failed(writer.error());
  const ExitCode code = verify_capture(options, *reader, &*writer, *states);
  if (const auto closed = writer->close(); !closed) return run_failed(closed.error());
  return code;
}

}  // namespace

void add_verify(CLI::App& program, command::Action& chosen) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* verb = program.add_subcommand(
      "verify",
      "Sends a capture through a node, port to port, and compares with the byte-wise reference");
  add_subject_options(*verb, options->subject);
  verb->add_option("--pcap", options->capture, "The packets that arrive: pcap or pcapng")
      ->type_name("FILE")
      ->required();
  verb->add_option("--write", options->written,
                   "Write the packets that leave to this pcap file, from the IP header on")
      ->type_name("FILE");
  verb->add_option("--then", options->changes,
                   "From the packet of this number on, be the node of another input instead, with "
                   "all that was learned; may be given several times")
      ->type_name("NUMBER FILE");
  command::add_choice(*verb, "--ingress", options->ingress, kIngresses,
                      "Where the packets arrive; auto: those from local pods there, others from "
                      "the uplink, and the node's own not at all");
  verb->add_option("--memory", options->eal.memory_mib, "MiB for tables and packets")
      ->check(CLI::Range(256, 1 << 20));
  command::add_output_options(*verb, options->output, command::ResultShape::Records);
  verb->footer(
      "Exit code 1: the fast path made something else of a packet, or the capture breaks off; 3: "
      "no "
      "packet\nof it could be compared.");
  verb->callback([options, &chosen] { chosen = [options] { return verify(*options); }; });
}

}  // namespace overlane::fastpath

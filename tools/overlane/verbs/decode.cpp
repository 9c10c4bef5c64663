#include "dataplane/capture/decode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_file.h"
#include "dataplane/capture/packet_text.h"
#include "results/report/text.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"

namespace overlane::command {
namespace {

struct DecodeOptions {
  std::vector<std::string> paths;
  OutputOptions output;
  Severity fail_on = Severity::Error;
  bool quiet = false;
  std::optional<std::uint64_t> count;
  bool only_problems = false;
  std::vector<capture::TunnelPort> ports;
};

struct TunnelName {
  std::string_view name;
  capture::LayerKind tunnel;
};

constexpr std::array kTunnels = {TunnelName{"vxlan", capture::LayerKind::Vxlan},
                                 TunnelName{"vxlan-gpe", capture::LayerKind::VxlanGpe},
                                 TunnelName{"geneve", capture::LayerKind::Geneve},
                                 TunnelName{"wireguard", capture::LayerKind::Wireguard}};

/// Parses "geneve=6082"; nothing if it is malformed.
std::optional<capture::TunnelPort> parse_tunnel_port(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto row = std::ranges::find(kTunnels, text.substr(0, equals), &TunnelName::name);
  const std::string_view digits = text.substr(equals + 1);
  std::uint16_t port = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, port);
  if (row == kTunnels.end() || error != std::errc() || rest != end || port == 0)
    return std::nullopt;
  return capture::TunnelPort{port, row->tunnel};
}

/// Ports from the command line precede the default ones.
void add_port_option(CLI::App& verb, std::vector<capture::TunnelPort>& ports) {
  const auto add = [&ports](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto port = parse_tunnel_port(text);
      if (!port) {
        throw CLI::ValidationError(
            "--port", fmt::format("\"{}\" is not NAME=PORT, with vxlan, vxlan-gpe, geneve or "
                                  "wireguard as NAME",
                                  text));
      }
      ports.push_back(*port);
    }
    return true;
  };
  verb.add_option_function<std::vector<std::string>>("--port", add,
                                                     "Additional UDP port of a tunnel protocol")
      ->type_name("NAME=PORT")
      ->expected(1)
      ->take_all();
}

/// Writes packets one by one in the requested format, and counts them.
class PacketPrinter {
 public:
  PacketPrinter(const DecodeOptions& options, ResultStream& to) : options_(options), to_(to) {
    if (is(Format::Json))
      to_.write("{\n\"schema_version\": 1,\n\"kind\": \"DecodedPackets\",\n\"packets\": [");
  }

  void begin_file(const std::string& file) {
    start_.reset();
    if (options_.paths.size() == 1) return;
    file_ = file;
    if (is(Format::Table)) to_.write(fmt::format("{}{}\n", packets_ > 0 ? "\n" : "", file));
  }

  /// Prints a packet. Returns false if the output can no longer be written.
  bool print(const capture::DecodedPacket& packet) {
    ++packets_;
    const bool is_sound = packet.problems.empty();
    if (!is_sound) ++with_problems_;
    outer_checksums_.add(packet);
    if (!start_) start_ = packet.timestamp;
    if (is_sound && options_.only_problems) return true;
    if (is(Format::Table)) return to_.write(capture::print(packet, *start_));
    std::string text = capture::to_json(packet, file_);
    if (is(Format::JsonLines)) return to_.write(text += '\n');
    return to_.write((printed_++ == 0 ? "\n" : ",\n") + text);
  }

  void finish() {
    if (is(Format::Table)) {
      to_.write(fmt::format("{} packet{}, {} of them with problems\n", packets_,
                            packets_ == 1 ? "" : "s", with_problems_));
      if (const auto found = outer_checksums_.diagnosis())
        to_.write(report::wrapped_line(fmt::format("{}: ", found->name), found->meaning + ".") +
                  report::wrapped_line("  remedy: ", found->remedy + "."));
    } else if (is(Format::Json)) {
      to_.write(fmt::format("\n],\n\"summary\": {{\"packets\": {}, \"with_problems\": {}{}}}\n}}\n",
                            packets_, with_problems_, diagnoses_member()));
    }
  }

  /// The diagnosis for JSON lines, which have no summary.
  std::optional<Finding> diagnosis() const {
    const auto found = outer_checksums_.diagnosis();
    if (!found || !is(Format::JsonLines)) return std::nullopt;
    return Finding{.rule = std::string(found->name),
                   .severity = Severity::Warning,
                   .message = found->meaning,
                   .hint = found->remedy};
  }

  std::uint64_t with_problems() const { return with_problems_; }

 private:
  bool is(Format format) const { return options_.output.format == format; }

  /// The JSON member with the diagnosis; empty if there is none.
  std::string diagnoses_member() const {
    const auto found = outer_checksums_.diagnosis();
    if (!found) return "";
    const nlohmann::ordered_json diagnoses = {{{"name", found->name},
                                               {"packets", found->packets},
                                               {"senders", found->senders},
                                               {"meaning", found->meaning},
                                               {"remedy", found->remedy}}};
    return fmt::format(", \"diagnoses\": {}", diagnoses.dump());
  }

  const DecodeOptions& options_;
  ResultStream& to_;
  std::string file_;  ///< Only if there are several files.
  std::optional<capture::Timestamp> start_;
  capture::OuterChecksums outer_checksums_;
  std::uint64_t packets_ = 0;
  std::uint64_t with_problems_ = 0;
  std::uint64_t printed_ = 0;
};

/// A placeholder for the packet after which a capture is truncated.
capture::DecodedPacket broken_packet(std::uint64_t number, const Finding& error) {
  capture::DecodedPacket packet{.number = number};
  packet.problems.push_back(error.message);
  return packet;
}

/// Decodes a file. Returns false if the output can no longer be written.
bool decode_file(capture::CaptureReader& reader, const DecodeOptions& options,
                 PacketPrinter& printer, Findings& findings) {
  for (std::uint64_t number = 1; !options.count || number <= *options.count; ++number) {
    const auto packet = reader.next();
    if (!packet) {
      findings.push_back(packet.error());
      return printer.print(broken_packet(number, packet.error()));
    }
    if (!*packet) return true;
    if (!printer.print(capture::decode(**packet, reader.link_type(), options.ports))) return false;
  }
  return true;
}

ExitCode decode(const DecodeOptions& options) {
  Findings findings;
  std::vector<capture::CaptureReader> readers;
  std::vector<std::string> names;
  for (const std::string& path : options.paths) {
    auto reader = capture::CaptureReader::open(path);
    if (reader) {
      readers.push_back(std::move(*reader));
      names.push_back(path);
    } else {
      findings.push_back(std::move(reader.error()));
    }
  }
  if (readers.empty()) {
    print_findings(findings, options.quiet, options.fail_on);
    return ExitCode::NoInput;
  }
  ResultStream stream(options.output.file);
  PacketPrinter printer(options, stream);
  for (std::size_t at = 0; at < readers.size(); ++at) {
    printer.begin_file(names[at]);
    if (!decode_file(readers[at], options, printer, findings)) break;
  }
  printer.finish();
  if (auto diagnosis = printer.diagnosis()) findings.push_back(*std::move(diagnosis));
  print_findings(findings, options.quiet, options.fail_on);
  const ExitCode written = stream.finish();
  if (written != ExitCode::Clean) return written;
  const bool has_problems = printer.with_problems() > 0 && Severity::Warning >= options.fail_on;
  return has_problems || any_at_or_above(findings, options.fail_on) ? ExitCode::Finding
                                                                    : ExitCode::Clean;
}

}  // namespace

void add_decode(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<DecodeOptions>();
  verb->add_option("FILE", options->paths, "pcap or pcapng files, or - for standard input")
      ->required();
  add_output_options(*verb, options->output, ResultShape::Records);
  verb->add_option("--count", options->count, "Decode only the first N packets of each file")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, UINT32_MAX));
  verb->add_flag("--only-problems", options->only_problems, "Show only packets with problems");
  add_port_option(*verb, options->ports);
  add_finding_options(*verb, options->fail_on, options->quiet);
  add_to_footer(
      *verb,
      "A problem of a packet is a warning: it changes the exit code with --fail-on warning only. A "
      "capture that "
      "breaks off is an error: its packets are shown, and the exit code is 1.");
  verb->callback([options, &chosen] {
    std::ranges::copy(capture::default_tunnel_ports(), std::back_inserter(options->ports));
    chosen = [options] { return decode(*options); };
  });
}

}  // namespace overlane::command

#include "tools/fastpath/verify_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/forward/outcome.h"

namespace overlane::fastpath {
namespace {

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

Json difference_of(const verify::Verdict& verdict) {
  return verdict.difference.empty() ? Json() : Json(verdict.difference);
}

Json encode(const VerifiedPacket& packet) {
  const verify::Verdict& verdict = packet.verdict;
  Json json{{"number", packet.number},
            {"ingress", to_string(packet.ingress)},
            {"length_bytes", packet.bytes},
            {"way", verdict.ahead ? "adjacency" : "full-path"}};
  json["sent"] = encode(verdict.sent);
  json["drop"] = nullptr;
  if (verdict.expected.drop) json["drop"] = to_string(*verdict.expected.drop);
  json["held"] = verdict.expected.held.has_value();
  json["difference"] = difference_of(verdict);
  return json;
}

std::string difference_text(const verify::Verdict& verdict) {
  if (verdict.difference.empty()) return "";
  return fmt::format("\n       DIFFERENT from the reference: {}", verdict.difference);
}

std::string to_text(const VerifiedPacket& packet) {
  const verify::Verdict& verdict = packet.verdict;
  std::string text =
      fmt::format("{:>5}  from {:<6} {:>5} bytes  {:<9}", packet.number, to_string(packet.ingress),
                  packet.bytes, verdict.ahead ? "adjacency" : "full path");
  for (const dpdk::SentPacket& sent : verdict.sent)
    text += fmt::format("  {}, {} bytes;", verify::to_string(sent), sent.packet.size());
  if (text.back() == ';') text.pop_back();
  if (verdict.expected.held) text += "  waits for its other fragments";
  if (verdict.expected.drop) {
    const DropFacts& drop = facts(*verdict.expected.drop);
    text += fmt::format("  dropped, {}: {}", drop.name, drop.meaning);
  }
  return text + difference_text(verdict) + "\n";
}

}  // namespace

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
  ahead_ += packet.verdict.ahead;
  dropped_ += packet.verdict.expected.drop.has_value();
  differences_ += !packet.verdict.difference.empty();
  return write(encode(packet).dump(), to_text(packet));
}

bool VerifyReport::add_change(std::uint64_t number, const verify::Verdict& verdict) {
  ++changes_;
  differences_ += !verdict.difference.empty();
  const Json json{{"number", number},
                  {"state_change", changes_},
                  {"sent", encode(verdict.sent)},
                  {"difference", difference_of(verdict)}};
  return write(json.dump(), fmt::format("{:>5}  before it: state {}{}\n", number, changes_ + 1,
                                        difference_text(verdict)));
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

}  // namespace overlane::fastpath

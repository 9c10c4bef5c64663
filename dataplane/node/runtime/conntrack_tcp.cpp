#include "dataplane/node/runtime/conntrack_tcp.h"

#include <array>
#include <cstddef>

namespace overlane::node {
namespace {

struct StateFacts {
  std::string_view name;
  Picos timeout;
};
constexpr std::array kStates = {
    StateFacts{"NONE", {}},
    StateFacts{"SYN_SENT", seconds(120)},
    StateFacts{"SYN_RECV", seconds(60)},
    StateFacts{"ESTABLISHED", seconds(5 * 24 * 3600)},
    StateFacts{"FIN_WAIT", seconds(120)},
    StateFacts{"CLOSE_WAIT", seconds(60)},
    StateFacts{"LAST_ACK", seconds(30)},
    StateFacts{"TIME_WAIT", seconds(120)},
    StateFacts{"CLOSE", seconds(10)},
    StateFacts{"SYN_SENT2", seconds(120)},
};

/// The flag that decides, in this order of precedence.
enum class Segment : std::uint8_t { Syn, SynAck, Fin, Ack, Rst };

Segment segment(std::uint8_t flags) {
  if ((flags & kTrackedRst) != 0) return Segment::Rst;
  if ((flags & kTrackedSyn) != 0)
    return (flags & kTrackedAck) != 0 ? Segment::SynAck : Segment::Syn;
  return (flags & kTrackedFin) != 0 ? Segment::Fin : Segment::Ack;
}

/// SYN, SYN+ACK, RST, RST+ACK, FIN+ACK and ACK, whatever PSH, URG, ECE and CWR say
/// (tcp_valid_flags).
bool is_possible(std::uint8_t flags) {
  const unsigned decisive = flags & (kTrackedSyn | kTrackedFin | kTrackedRst);
  const bool ack = (flags & kTrackedAck) != 0;
  switch (decisive) {
    case 0:
    case kTrackedFin:
      return ack;
    case kTrackedSyn:
    case kTrackedRst:
      return true;
    default:
      return false;
  }
}

/// One letter per TcpState in its order says where the segment leads: a digit's TcpState, `i`
/// ignored, `-` invalid.
using Row = std::string_view;
constexpr std::array<std::array<Row, 5>, 2> kSteps = {{
    {
        "11iiiii119",  // SYN
        "--2------2",  // SYN+ACK
        "--4466678-",  // FIN
        "3-3355778-",  // ACK
        "-888888888",  // RST
    },
    {
        "-9-----1-9",
        "-2iiiiiii2",
        "--4466678-",
        "-i2355778i",
        "-888888888",
    },
}};

}  // namespace

std::string_view to_string(TcpState state) {
  return kStates[static_cast<std::size_t>(state)].name;
}

Picos timeout(TcpState state) {
  return kStates[static_cast<std::size_t>(state)].timeout;
}

TcpStep tcp_step(TcpState state, Direction direction, std::uint8_t flags) {
  if (!is_possible(flags)) return {};
  const Row row =
      kSteps[static_cast<std::size_t>(direction)][static_cast<std::size_t>(segment(flags))];
  const char next = row[static_cast<std::size_t>(state)];
  if (next == '-') return {};
  if (next == 'i') return {TcpStep::Kind::Ignore, state};
  return {TcpStep::Kind::Move, static_cast<TcpState>(next - '0')};
}

}  // namespace overlane::node

#include <string_view>

#include "dataplane/kernel/agent/protocol/messages.h"
#include "dataplane/net/testing/require.h"

namespace overlane::agent {
namespace {

using testing::require;

/// Checks that a decoded message is equal after encoding and decoding it again.
template <typename Decode>
void check(std::string_view line, Decode decode) {
  const auto message = decode(line);
  if (!message) {
    require(!message.error().empty());
    return;
  }
  const std::string written = encode(*message);
  require(written.find('\n') == std::string::npos);
  const auto again = decode(written);
  require(again && encode(*again) == written);
}

}  // namespace
}  // namespace overlane::agent

/// Input: one line of a client or an agent.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  overlane::agent::check(line, overlane::agent::decode_request);
  overlane::agent::check(line, overlane::agent::decode_answer);
  return 0;
}

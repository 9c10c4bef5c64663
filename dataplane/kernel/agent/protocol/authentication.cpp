#include "dataplane/kernel/agent/protocol/authentication.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/owned_fd.h"

namespace overlane::agent {
namespace {

/// Separates these proofs from other uses of the same secret, and from other versions.
constexpr std::string_view kPurpose = "overlane testbed agent 1";

std::string_view to_string(Role role) {
  return role == Role::Client ? "client" : "agent";
}

Parsed<std::string> read_all(int fd, std::size_t most) {
  std::string text;
  char buffer[1024];
  while (text.size() <= most) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(std::string(std::strerror(errno)));
    if (count == 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Parsed<Bytes32> make_nonce() {
  Bytes32 nonce;
  if (RAND_bytes(nonce.data(), static_cast<int>(nonce.size())) != 1)
    return fail("the system has no random numbers");
  return nonce;
}

std::string hex(const Bytes32& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

Parsed<Bytes32> from_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  Bytes32 bytes;
  if (text.size() != 2 * bytes.size() || text.find_first_not_of(kDigits) != std::string_view::npos)
    return fail(fmt::format("not {} hexadecimal digits", 2 * bytes.size()));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] =
        static_cast<std::uint8_t>(kDigits.find(text[2 * i]) * 16 + kDigits.find(text[2 * i + 1]));
  return bytes;
}

Parsed<Token> Token::of(std::string secret) {
  if (secret.empty()) return fail("the token is empty");
  if (secret.size() < kMinBytes)
    return fail(fmt::format("the token has {} bytes, less than {}", secret.size(), kMinBytes));
  if (secret.size() > kMaxBytes)
    return fail(fmt::format("the token has more than {} bytes", kMaxBytes));
  return Token(std::move(secret));
}

Parsed<Token> Token::read(const std::filesystem::path& file) {
  const auto wrong = [&](const std::string& what) {
    return fail(fmt::format("{}: {}", file.string(), what));
  };
  const kernel::OwnedFd fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!fd.is_open() || fstat(fd.get(), &facts) != 0) return wrong(std::strerror(errno));
  if ((facts.st_mode & S_IROTH) != 0)
    return wrong("every user of this machine may read it; chmod 600");
  auto text = read_all(fd.get(), kMaxBytes + 1);
  if (!text) return wrong(text.error());
  text->erase(text->find_last_not_of(" \t\r\n") + 1);
  auto token = of(*std::move(text));
  return token ? std::move(token) : Parsed<Token>(wrong(token.error()));
}

Bytes32 Token::proof(Role role, const Challenge& challenge) const {
  std::string message = fmt::format("{}\n{}\n", kPurpose, to_string(role));
  for (const Bytes32& nonce : {challenge.agent_nonce, challenge.client_nonce})
    message.append(nonce.begin(), nonce.end());
  Bytes32 proof{};
  unsigned length = 0;
  HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), proof.data(),
       &length);
  return proof;
}

bool Token::accepts(const Bytes32& given, Role role, const Challenge& challenge) const {
  const Bytes32 right = proof(role, challenge);
  return CRYPTO_memcmp(given.data(), right.data(), right.size()) == 0;
}

}  // namespace overlane::agent

#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/experiment/place.h"

namespace overlane::kernel {

// JSON of the requests and answers that are passed to user-mode Linux and back: each struct is the
// list of its members. Both ends run the same program. Decoding anything but the output of encode()
// throws an exception of nlohmann::json.

nlohmann::json encode(const Request& request);
nlohmann::json encode(const Answer& answer);
Request decode_request(const nlohmann::json& document);
Answer decode_answer(const nlohmann::json& document);

}  // namespace overlane::kernel

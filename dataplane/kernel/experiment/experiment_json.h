#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dataplane/kernel/experiment/place.h"

namespace overlane::kernel {

// The form in which requests and answers travel into user-mode Linux and back: each struct is the
// list of its members. Both ends are the same program; decoding what did not come from encode()
// throws nlohmann's exception.

nlohmann::json encode(const Request& request);
nlohmann::json encode(const Answer& answer);
Request decode_request(const nlohmann::json& document);
Answer decode_answer(const nlohmann::json& document);

}  // namespace overlane::kernel

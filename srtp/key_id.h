#ifndef SRTP_KEY_ID_H_
#define SRTP_KEY_ID_H_

#include <cstdint>

#include "base/strong_int.h"
#include "srtp/master_key.h"

namespace sluice {

// Names a master key without telling it: the first 64 bits of a SHA-256 over suite, key and salt.
// May be stored and shown.
using KeyId = StrongInt<struct KeyIdTag, uint64_t>;

KeyId IdOf(const MasterKey& key);

}  // namespace sluice

#endif  // SRTP_KEY_ID_H_

#ifndef TESTS_FUZZ_SRTP_FUZZ_OPTIONS_H_
#define TESTS_FUZZ_SRTP_FUZZ_OPTIONS_H_

#include <cstddef>

#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "tests/fuzz/fuzz_input.h"

namespace sluice {

// Most SSRCs that a sender or receiver of a fuzz test has places for: so few that they are
// contested.
inline constexpr size_t kMaxFuzzStreams = 3;

// Options of a sender and a receiver that fit together.
struct SrtpFuzzOptions {
  SuiteId suite;
  SrtpSenderOptions sender;
  SrtpReceiverOptions receiver;
  // Whether a slot is there for a second trial.
  bool scratch;

  // Keys by number, the same for every input. 0 is the first one, as `mki` of the options says.
  MasterKey Key(size_t number) const;
  Mki MkiOf(size_t number) const;
};

// Reads four bytes. All combinations are possible ones:
//   0  suite, by its place in kCipherSuites
//   1  flags: 0-1 size of the MKI, 2 SRTCP is sent unencrypted, 3 and taken so, 4-5 cryptex,
//      6 some extensions are encrypted (not with cryptex), 7 a key derivation rate
//   2  numbers: 0-3 the rate's exponent, 4-7 how many packets a key lasts, or 0 for many
//   3  bounds: 0 remembered streams, 1 window, 2 no scratch, 4-7 streams
SrtpFuzzOptions ChooseSrtpFuzzOptions(FuzzInput& input);

}  // namespace sluice

#endif  // TESTS_FUZZ_SRTP_FUZZ_OPTIONS_H_

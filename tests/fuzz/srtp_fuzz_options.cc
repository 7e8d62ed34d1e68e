#include "tests/fuzz/srtp_fuzz_options.h"

#include <cstdint>
#include <iterator>
#include <vector>

#include "base/testing/seeded_random.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

Mki MakeMki(size_t number, size_t size) {
  std::vector<uint8_t> bytes(size, 0x4D);
  if (size > 0) {
    bytes.back() = static_cast<uint8_t>(number);
  }
  return *Mki::Create(bytes);
}

SrtpPolicy ChoosePolicy(uint8_t flags, uint8_t numbers) {
  constexpr CryptexPolicy kCryptex[] = {CryptexPolicy::kOff, CryptexPolicy::kOn,
                                        CryptexPolicy::kRequired, CryptexPolicy::kOff};
  SrtpPolicy policy;
  policy.cryptex = kCryptex[(flags >> 4) & 3];
  if ((flags & 0x40) != 0 && policy.cryptex == CryptexPolicy::kOff) {
    policy.encrypted_extensions.set(1).set(3).set(200);
  }
  if ((flags & 0x80) != 0) {
    policy.key_derivation_rate = *KeyDerivationRate::Create(uint64_t{1} << (numbers & 15));
  }
  if (const uint64_t hard = numbers >> 4; hard != 0) {
    policy.rtp_lifetime = {hard / 2, hard};
    policy.rtcp_lifetime = {hard / 2, hard};
  }
  return policy;
}

}  // namespace

MasterKey SrtpFuzzOptions::Key(size_t number) const {
  SeededRandom random(number);
  return MasterKey::Generate(suite, random);
}

Mki SrtpFuzzOptions::MkiOf(size_t number) const { return MakeMki(number, sender.mki.size()); }

SrtpFuzzOptions ChooseSrtpFuzzOptions(FuzzInput& input) {
  constexpr size_t kMkiSizes[] = {0, 1, 4, kMaxMkiSize};
  SrtpFuzzOptions options;
  options.suite = kCipherSuites[input.Byte() % std::size(kCipherSuites)].id;
  const uint8_t flags = input.Byte();
  const uint8_t numbers = input.Byte();
  const uint8_t bounds = input.Byte();
  options.sender.mki = options.receiver.mki = MakeMki(0, kMkiSizes[flags & 3]);
  options.sender.policy = options.receiver.policy = ChoosePolicy(flags, numbers);
  options.sender.encrypt_rtcp = (flags & 4) == 0;
  options.receiver.accept_unencrypted_rtcp = (flags & 8) != 0;
  options.sender.max_streams = options.receiver.max_streams = 1 + (bounds >> 4) % kMaxFuzzStreams;
  options.sender.remembered_streams = options.receiver.remembered_streams = 1 + (bounds & 1);
  options.sender.replay_window = options.receiver.rtp_replay_window = (bounds & 2) == 0 ? 64 : 128;
  options.receiver.rtcp_replay_window = 64;
  options.scratch = (bounds & 4) == 0;
  return options;
}

}  // namespace sluice

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "srtp/cipher_suite.h"
#include "srtp/header_extension_cipher.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// As a browser sends audio: audio level, abs-send-time, transport-wide sequence number, mid.
Bytes BrowserPacket() {
  return RtpPacketBuilder()
      .AddOneByteExtension(1, Bytes{0x7F})
      .AddOneByteExtension(2, Bytes{1, 2, 3})
      .AddOneByteExtension(3, Bytes{0, 9})
      .AddOneByteExtension(4, Bytes{'0'})
      .WithPayloadSize(160)
      .Build();
}

void Crypt(benchmark::State& state, const EncryptedExtensionIds& ids) {
  SeededRandom random(1);
  const SuiteId suite = SuiteId::kAesCm128HmacSha1_80;
  const HeaderExtensionCipher cipher(GetCipherSuite(suite),
                                     DeriveHeaderKeys(MasterKey::Generate(suite, random)));
  Bytes packet = BrowserPacket();
  uint64_t index = 0;
  for (auto _ : state) {
    cipher.Crypt(absl::MakeSpan(packet), Ssrc(1), PacketIndex(++index), ids);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}
void BM_CryptAll(benchmark::State& state) { Crypt(state, EncryptedExtensionIds().set()); }
BENCHMARK(BM_CryptAll);
void BM_CryptAudioLevel(benchmark::State& state) { Crypt(state, EncryptedExtensionIds(2)); }
BENCHMARK(BM_CryptAudioLevel);

}  // namespace
}  // namespace sluice

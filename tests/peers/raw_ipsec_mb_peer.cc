#include "tests/peers/raw_ipsec_mb_peer.h"

#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

constexpr size_t kMacSize = 12;
constexpr size_t kGcmTagSize = 16;
// FIPS 197 section 5.2: 14 rounds of a 256-bit key, and one more round key.
constexpr size_t kMaxRoundKeysSize = 15 * 16;
// From here on lanes of AVX-512 beat SHA instructions, at 1000 bytes on Zen 5.
constexpr size_t kMinBurstForLanes = 6;

// RFC 2104 section 2.
void HashKeyBlock(const IMB_MGR& manager, absl::Span<const uint8_t> key, uint8_t pad,
                  uint8_t* state) {
  std::array<uint8_t, IMB_SHA1_BLOCK_SIZE> block = {};
  CopyBytes(absl::MakeSpan(block), key);
  for (uint8_t& byte : block) {
    byte ^= pad;
  }
  manager.sha1_one_block(block.data(), state);
}

}  // namespace

struct RawIpsecMbPeer::State {
  alignas(64) gcm_key_data gcm_key = {};
  gcm_context_data gcm_context = {};
  alignas(64) std::array<uint8_t, kMaxRoundKeysSize> round_keys = {};
  // SHA-1 after the block of key XOR ipad or opad.
  alignas(64) std::array<uint8_t, IMB_SHA1_DIGEST_SIZE_IN_BYTES> inner = {};
  std::array<uint8_t, IMB_SHA1_DIGEST_SIZE_IN_BYTES> outer = {};
  alignas(64) std::array<std::array<uint8_t, 16>, PacketRing::kSlots> macs = {};
  std::array<IMB_JOB, PacketRing::kSlots> jobs = {};
};

std::unique_ptr<RawIpsecMbPeer> RawIpsecMbPeer::Create(const MasterKey& key, PacketRing& ring) {
  Manager best(alloc_mb_mgr(0));
  if (best == nullptr) {
    return nullptr;
  }
  IMB_ARCH level = IMB_ARCH_NONE;
  init_mb_mgr_auto(best.get(), &level);
  if (level == IMB_ARCH_NONE || imb_get_errno(best.get()) != 0) {
    return nullptr;
  }
  Manager sha;
  if (level != IMB_ARCH_SSE && (best->features & IMB_FEATURE_SHANI) != 0) {
    sha.reset(alloc_mb_mgr(0));
    SLUICE_CHECK(sha != nullptr);
    init_mb_mgr_sse(sha.get());
    SLUICE_CHECK(imb_get_errno(sha.get()) == 0);
  }
  return std::unique_ptr<RawIpsecMbPeer>(
      new RawIpsecMbPeer(key, ring, std::move(best), std::move(sha)));
}

RawIpsecMbPeer::RawIpsecMbPeer(const MasterKey& key, PacketRing& ring, Manager best, Manager sha)
    : aead_(key.suite().aead()),
      key_of_256_(key.suite().key_size == 32),
      packets_(key, ring),
      best_(std::move(best)),
      sha_(std::move(sha)),
      state_(std::make_unique<State>()) {
  const uint8_t* const encryption = packets_.keys().encryption.span().data();
  if (aead_) {
    (key_of_256_ ? best_->gcm256_pre : best_->gcm128_pre)(encryption, &state_->gcm_key);
    return;
  }
  SLUICE_CHECK(key.suite().key_size == 16 || key_of_256_) << key.suite().name;
  alignas(16) std::array<uint8_t, kMaxRoundKeysSize> unused;
  (key_of_256_ ? best_->keyexp_256 : best_->keyexp_128)(encryption, state_->round_keys.data(),
                                                        unused.data());
  HashKeyBlock(*best_, packets_.keys().authentication.span(), 0x36, state_->inner.data());
  HashKeyBlock(*best_, packets_.keys().authentication.span(), 0x5C, state_->outer.data());
  for (IMB_JOB& job : state_->jobs) {
    // What is the same in all jobs.
    job.enc_keys = state_->round_keys.data();
    job.dec_keys = state_->round_keys.data();
    job.key_len_in_bytes = key_of_256_ ? IMB_KEY_256_BYTES : IMB_KEY_128_BYTES;
    job.iv_len_in_bytes = RawPackets::kVectorSize;
    job.auth_tag_output_len_in_bytes = kMacSize;
    job.u.HMAC._hashed_auth_key_xor_ipad = state_->inner.data();
    job.u.HMAC._hashed_auth_key_xor_opad = state_->outer.data();
  }
}

RawIpsecMbPeer::~RawIpsecMbPeer() = default;

bool RawIpsecMbPeer::Crypt(size_t first, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const RawPackets::Packet& packet = packets_.packet(first + i);
    IMB_JOB& job = state_->jobs[i];
    job.src = packet.payload();
    job.dst = packet.payload();
    job.msg_len_to_cipher_in_bytes = packets_.payload_size();
    job.iv = packet.vector.data();
  }
  return IMB_SUBMIT_CIPHER_BURST_NOCHECK(
             best_.get(), state_->jobs.data(), static_cast<uint32_t>(count), IMB_CIPHER_CNTR,
             IMB_DIR_ENCRYPT, key_of_256_ ? IMB_KEY_256_BYTES : IMB_KEY_128_BYTES) == count;
}

bool RawIpsecMbPeer::Authenticate(size_t first, size_t count, bool in_place) {
  for (size_t i = 0; i < count; ++i) {
    IMB_JOB& job = state_->jobs[i];
    job.src = packets_.packet(first + i).header;
    job.msg_len_to_hash_in_bytes = packets_.authenticated_size();
    job.auth_tag_output = in_place ? packets_.payload_end(first + i) : state_->macs[i].data();
  }
  const bool few = count < kMinBurstForLanes || best_->used_arch != IMB_ARCH_AVX512;
  IMB_MGR* const manager = sha_ != nullptr && few ? sha_.get() : best_.get();
  return IMB_SUBMIT_HASH_BURST_NOCHECK(manager, state_->jobs.data(), static_cast<uint32_t>(count),
                                       IMB_AUTH_HMAC_SHA_1) == count;
}

void RawIpsecMbPeer::Seal(size_t slot) {
  const RawPackets::Packet& packet = packets_.packet(slot);
  (key_of_256_ ? best_->gcm256_enc : best_->gcm128_enc)(
      &state_->gcm_key, &state_->gcm_context, packet.payload(), packet.payload(),
      packets_.payload_size(), packet.vector.data(), packet.header, PacketRing::kHeaderSize,
      packets_.payload_end(slot), kGcmTagSize);
}

bool RawIpsecMbPeer::Open(size_t slot) {
  const RawPackets::Packet& packet = packets_.packet(slot);
  uint8_t tag[kGcmTagSize];
  (key_of_256_ ? best_->gcm256_dec : best_->gcm128_dec)(
      &state_->gcm_key, &state_->gcm_context, packet.payload(), packet.payload(),
      packets_.payload_size(), packet.vector.data(), packet.header, PacketRing::kHeaderSize, tag,
      kGcmTagSize);
  return packets_.GcmTagMatches(slot, tag);
}

bool RawIpsecMbPeer::Protect(size_t first, size_t count) {
  if (!aead_) {
    // The MAC goes straight behind the payload, over the ROC. It is two bytes longer than the tag;
    // there is room behind a packet.
    return Crypt(first, count) && Authenticate(first, count, true);
  }
  for (size_t slot = first; slot < first + count; ++slot) {
    Seal(slot);
  }
  return true;
}

bool RawIpsecMbPeer::Unprotect(size_t first, size_t count) {
  bool ok = true;
  if (!aead_) {
    ok &= Authenticate(first, count, false);
    for (size_t i = 0; i < count; ++i) {
      ok &= packets_.MacMatches(first + i, state_->macs[i].data());
    }
    return ok && Crypt(first, count);
  }
  for (size_t slot = first; slot < first + count; ++slot) {
    ok &= Open(slot);
  }
  return ok;
}

}  // namespace sluice

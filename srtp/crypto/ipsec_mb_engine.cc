#include "srtp/crypto/ipsec_mb_engine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/crypto/hmac_block.h"
#include "srtp/crypto/hmac_lanes.h"
#include "srtp/crypto/mac_plan.h"

namespace sluice {
namespace {

// Jobs in one call of the library: those of a plan. More gain nothing, and would push packets out
// of the first level cache: a job has more than 200 bytes.
constexpr size_t kMaxBurst = kMaxMacPlan;

constexpr IMB_KEY_SIZE_BYTES kKeySizes[] = {IMB_KEY_128_BYTES, IMB_KEY_192_BYTES,
                                            IMB_KEY_256_BYTES};
constexpr size_t KeySizeIndex(size_t size) { return size / 8 - 2; }

// FIPS 197 section 5.2: 14 rounds of a 256-bit key, and one more round key.
constexpr size_t kMaxRoundKeysSize = 15 * 16;

template <typename T>
void Wipe(T& object) {
  imb_clear_mem(&object, sizeof(object));
}

class IpsecMbCounterModeKey final : public CounterModeKey {
 public:
  explicit IpsecMbCounterModeKey(const IMB_MGR& manager)
      : expand_{manager.keyexp_128, manager.keyexp_192, manager.keyexp_256} {}
  ~IpsecMbCounterModeKey() override { Wipe(round_keys_); }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32) << key.size();
    Wipe(round_keys_);
    // Counter mode only encrypts, but the library insists on both directions.
    alignas(16) uint8_t decryption[kMaxRoundKeysSize];
    expand_[KeySizeIndex(key.size())](key.data(), round_keys_, decryption);
    Wipe(decryption);
    size_ = key.size();
  }

  const void* round_keys() const { return round_keys_; }
  // 0 before the first Set.
  size_t size() const { return size_; }

 private:
  // Cache lines of its own: fewer to fetch per packet.
  alignas(64) uint8_t round_keys_[kMaxRoundKeysSize] = {};
  size_t size_ = 0;
  const keyexp_t expand_[3];
};

class IpsecMbHmacSha1Key final : public HmacSha1Key {
 public:
  explicit IpsecMbHmacSha1Key(const IMB_MGR& manager) : hash_block_(manager.sha1_one_block) {}
  ~IpsecMbHmacSha1Key() override { Wipe(states_); }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == kMacKeySize) << key.size();
    hash_block_(HmacInnerBlock(key).data(), states_.inner);
    hash_block_(HmacOuterBlock(key).data(), states_.outer);
  }

  // SHA-1 after the block of key XOR ipad or opad.
  const uint8_t* inner() const { return states_.inner; }
  const uint8_t* outer() const { return states_.outer; }

 private:
  struct alignas(64) {
    uint8_t inner[IMB_SHA1_DIGEST_SIZE_IN_BYTES];
    uint8_t outer[IMB_SHA1_DIGEST_SIZE_IN_BYTES];
  } states_ = {};
  const hash_one_block_t hash_block_;
};

class IpsecMbGcmKey final : public GcmKey {
 public:
  explicit IpsecMbGcmKey(const IMB_MGR& manager) : manager_(manager) {}
  ~IpsecMbGcmKey() override { Wipe(key_); }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == IMB_GCM_128_KEY_LEN || key.size() == IMB_GCM_256_KEY_LEN)
        << key.size();
    const bool is_128 = key.size() == IMB_GCM_128_KEY_LEN;
    Wipe(key_);
    (is_128 ? manager_.gcm128_pre : manager_.gcm256_pre)(key.data(), &key_);
    seal_ = is_128 ? manager_.gcm128_enc : manager_.gcm256_enc;
    open_ = is_128 ? manager_.gcm128_dec : manager_.gcm256_dec;
  }

  // Null before the first Set.
  aes_gcm_enc_dec_t seal() const { return seal_; }
  aes_gcm_enc_dec_t open() const { return open_; }
  const gcm_key_data& key() const { return key_; }

 private:
  // Round keys and powers of the hash key. The library faults where it is not aligned.
  alignas(64) gcm_key_data key_ = {};
  aes_gcm_enc_dec_t seal_ = nullptr;
  aes_gcm_enc_dec_t open_ = nullptr;
  // For its table of functions, which never changes.
  const IMB_MGR& manager_;
};

const IpsecMbCounterModeKey& KeyOf(const CounterModeJob& job) {
  return *static_cast<const IpsecMbCounterModeKey*>(job.key);
}
const IpsecMbHmacSha1Key& KeyOf(const MacJob& job) {
  return *static_cast<const IpsecMbHmacSha1Key*>(job.key);
}
const IpsecMbGcmKey& KeyOf(const GcmJob& job) {
  return *static_cast<const IpsecMbGcmKey*>(job.key);
}

}  // namespace

struct IpsecMbEngine::Scratch {
  Scratch() {
    for (IMB_JOB& job : jobs) {
      // What is the same in all jobs.
      job.iv_len_in_bytes = kCounterBlockSize;
      job.auth_tag_output_len_in_bytes = kMacSize;
    }
  }
  ~Scratch() {
    Wipe(gcm);
    Wipe(tag);
  }

  std::array<IMB_JOB, kMaxBurst> jobs = {};
  // Where the library keeps the state of one packet.
  gcm_context_data gcm = {};
  // What the tag of the packet that is being opened should be.
  alignas(16) uint8_t tag[kGcmTagSize] = {};
};

absl::StatusOr<std::unique_ptr<IpsecMbEngine>> IpsecMbEngine::Create(const CpuFeatures& features) {
  const absl::StatusOr<IpsecMbLevel> level = HighestIpsecMbLevel(features);
  if (!level.ok()) return level.status();
  absl::StatusOr<IpsecMbManager> best = MakeIpsecMbManager(*level, features);
  if (!best.ok()) return best.status();
  IpsecMbManager sha;
  // Only the lowest level hashes with SHA instructions.
  if (features.sha && *level != IpsecMbLevel::kSse) {
    absl::StatusOr<IpsecMbManager> made = MakeIpsecMbManager(IpsecMbLevel::kSse, features);
    if (!made.ok()) return made.status();
    sha = *std::move(made);
  }
  const bool has_lanes = *level == IpsecMbLevel::kAvx512 && CanComputeLaneMacs(features);
  return std::unique_ptr<IpsecMbEngine>(new IpsecMbEngine(
      *std::move(best), std::move(sha), has_lanes, features.amd ? kAmdMacCosts : kIntelMacCosts));
}

IpsecMbEngine::IpsecMbEngine(IpsecMbManager best, IpsecMbManager sha, bool has_lanes,
                             const MacCosts& costs)
    : best_(std::move(best)),
      sha_(std::move(sha)),
      has_lanes_(has_lanes),
      costs_(costs),
      scratch_(std::make_unique<Scratch>()) {}

IpsecMbEngine::~IpsecMbEngine() = default;

std::unique_ptr<CounterModeKey> IpsecMbEngine::MakeCounterModeKey() {
  return std::make_unique<IpsecMbCounterModeKey>(*best_);
}

std::unique_ptr<HmacSha1Key> IpsecMbEngine::MakeHmacSha1Key() {
  return std::make_unique<IpsecMbHmacSha1Key>(*best_);
}

std::unique_ptr<GcmKey> IpsecMbEngine::MakeGcmKey() {
  return std::make_unique<IpsecMbGcmKey>(*best_);
}

void IpsecMbEngine::Crypt(absl::Span<const CounterModeJob> jobs) {
  // The library takes jobs of one key size at a time. Mostly there is only one.
  bool present[std::size(kKeySizes)] = {};
  for (const CounterModeJob& job : jobs) {
    const size_t size = KeyOf(job).size();
    SLUICE_CHECK(size != 0) << "a key that was never set";
    present[KeySizeIndex(size)] = true;
  }
  for (size_t i = 0; i < std::size(kKeySizes); ++i) {
    if (present[i]) CryptKeySize(jobs, kKeySizes[i]);
  }
}

void IpsecMbEngine::CryptKeySize(absl::Span<const CounterModeJob> jobs,
                                 IMB_KEY_SIZE_BYTES key_size) {
  size_t count = 0;
  for (const CounterModeJob& job : jobs) {
    const IpsecMbCounterModeKey& key = KeyOf(job);
    // The library does not know empty jobs.
    if (key.size() != key_size || job.size == 0) continue;
    IMB_JOB& filled = scratch_->jobs[count++];
    filled.enc_keys = key.round_keys();
    filled.dec_keys = key.round_keys();
    filled.key_len_in_bytes = key_size;
    filled.src = job.data;
    filled.dst = job.data;
    filled.msg_len_to_cipher_in_bytes = job.size;
    filled.iv = job.counter_block;
    if (count == kMaxBurst) {
      SubmitCipher(count, key_size);
      count = 0;
    }
  }
  if (count > 0) SubmitCipher(count, key_size);
}

// Without the library's own checks of each job, which cost as much as 100 bytes. What they would
// find cannot be in a job: sizes and pointers are filled in above, and nothing is from the wire.
void IpsecMbEngine::SubmitCipher(size_t count, IMB_KEY_SIZE_BYTES key_size) {
  const uint32_t done = IMB_SUBMIT_CIPHER_BURST_NOCHECK(best_.get(), scratch_->jobs.data(),
                                                        static_cast<uint32_t>(count),
                                                        IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT, key_size);
  // Or packets would leave unencrypted.
  SLUICE_CHECK(done == count) << imb_get_strerror(imb_get_errno(best_.get()));
}

void IpsecMbEngine::Authenticate(absl::Span<const MacJob> jobs) {
  while (!jobs.empty()) {
    const absl::Span<const MacJob> portion = jobs.first(std::min(jobs.size(), kMaxBurst));
    const MacPlan plan = PlanMacs(portion, costs_);
    const absl::Span<const uint8_t> order = absl::MakeConstSpan(plan.order).first(portion.size());
    // Without SHA instructions lanes are better than one packet at a time however many there are.
    const size_t in_lanes = !has_lanes_ ? 0 : sha_ != nullptr ? plan.in_lanes : order.size();
    HashInLanes(portion, order.first(in_lanes));
    SubmitMacs(sha_ != nullptr ? *sha_ : *best_, portion, order.subspan(in_lanes));
    jobs.remove_prefix(portion.size());
  }
}

void IpsecMbEngine::HashInLanes(absl::Span<const MacJob> jobs, absl::Span<const uint8_t> order) {
  LaneMac macs[kHmacLanes];
  while (!order.empty()) {
    const absl::Span<const uint8_t> group = order.subspan(0, kHmacLanes);
    for (size_t i = 0; i < group.size(); ++i) {
      const MacJob& job = jobs[group[i]];
      const IpsecMbHmacSha1Key& key = KeyOf(job);
      macs[i] = {key.inner(), key.outer(), job.data, job.size, job.mac};
    }
    ComputeLaneMacs(absl::MakeConstSpan(macs).first(group.size()));
    order.remove_prefix(group.size());
  }
}

void IpsecMbEngine::SubmitMacs(IMB_MGR& manager, absl::Span<const MacJob> jobs,
                               absl::Span<const uint8_t> order) {
  if (order.empty()) return;
  for (size_t i = 0; i < order.size(); ++i) {
    const MacJob& job = jobs[order[i]];
    const IpsecMbHmacSha1Key& key = KeyOf(job);
    // Unchecked below, and more would be cut to 16 bits there.
    SLUICE_CHECK(job.size - 1 < kMaxMacDataSize) << job.size;
    IMB_JOB& filled = scratch_->jobs[i];
    filled.src = job.data;
    filled.msg_len_to_hash_in_bytes = job.size;
    filled.auth_tag_output = job.mac;
    filled.u.HMAC._hashed_auth_key_xor_ipad = key.inner();
    filled.u.HMAC._hashed_auth_key_xor_opad = key.outer();
  }
  const uint32_t done = IMB_SUBMIT_HASH_BURST_NOCHECK(
      &manager, scratch_->jobs.data(), static_cast<uint32_t>(order.size()), IMB_AUTH_HMAC_SHA_1);
  SLUICE_CHECK(done == order.size()) << imb_get_strerror(imb_get_errno(&manager));
}

void IpsecMbEngine::Seal(const GcmJob& job) {
  const IpsecMbGcmKey& key = KeyOf(job);
  key.seal()(&key.key(), &scratch_->gcm, job.data, job.data, job.size, job.iv, job.associated,
             job.associated_size, job.tag, kGcmTagSize);
}

bool IpsecMbEngine::Open(const GcmJob& job) {
  const IpsecMbGcmKey& key = KeyOf(job);
  // The library decrypts whatever comes and says what the tag should have been.
  uint8_t* const tag = scratch_->tag;
  key.open()(&key.key(), &scratch_->gcm, job.data, job.data, job.size, job.iv, job.associated,
             job.associated_size, tag, kGcmTagSize);
  // In two words, which takes the same time wherever the tags differ, and less than a loop.
  const uint64_t difference =
      (LoadBe64(tag) ^ LoadBe64(job.tag)) | (LoadBe64(tag + 8) ^ LoadBe64(job.tag + 8));
  if (difference == 0) return true;
  WipeBytes(absl::MakeSpan(job.data, job.size));
  return false;
}

}  // namespace sluice

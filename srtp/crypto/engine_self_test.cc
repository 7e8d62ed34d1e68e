#include "srtp/crypto/engine_self_test.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"

namespace sluice {
namespace {

// One, then as many as fill one round of the widest lanes and begin another.
constexpr size_t kBatches[] = {1, 19};

struct CounterModeVector {
  absl::string_view source;
  absl::string_view key;
  absl::string_view keystream;
};
// RFC 3711 appendix B.2 and RFC 6188 sections 7.1 and 7.3: under this counter block, the first
// three blocks.
constexpr absl::string_view kCounterBlock = "f0f1f2f3f4f5f6f7f8f9fafbfcfd0000";
constexpr CounterModeVector kCounterModeVectors[] = {
    {"AES-128 counter mode, RFC 3711 appendix B.2", "2b7e151628aed2a6abf7158809cf4f3c",
     "e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab"
     "41e95b3bb0a2e8dd477901e4fca894c0"},
    {"AES-192 counter mode, RFC 6188 section 7.3",
     "eab234764e517b2d3d160d587d8c86219740f65f99b6bcf7",
     "35096cba4610028dc1b57503804ce37c5de986291dcce161d5165ec4568f5c9a"
     "474a40c77894bc17180202272a4c264d"},
    {"AES-256 counter mode, RFC 6188 section 7.1",
     "57f82fe3613fd170a85ec93c40b1f0922ec4cb0dc025b58272147cc438944a98",
     "92bdd28a93c3f52511c677d08b5515a49da71b2378a854f67050756ded165bac"
     "63c4868b7096d88421b563b8c94c9a31"},
};

struct MacVector {
  absl::string_view source;
  absl::string_view key;
  absl::string_view text;
  absl::string_view mac;
};
// The first 12 of 20 bytes. Cases 6 and 7 have a key of 80 bytes, which HMAC itself replaces by its
// SHA-1: that is the key here. The last one is the longest, as long as lanes are worth it.
constexpr MacVector kMacVectors[] = {
    {"HMAC-SHA1, RFC 2202 section 3, case 1", "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
     "Hi There", "b617318655057264e28bc0b6"},
    {"HMAC-SHA1, RFC 2202 section 3, case 5", "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c",
     "Test With Truncation", "4c1a03424b55e07fe7f27be1"},
    {"HMAC-SHA1, RFC 2202 section 3, case 6", "4ca0ef38f1794b28a8f8ee110ee79d48ce13be25",
     "Test Using Larger Than Block-Size Key - Hash Key First", "aa4ae5e15272d00e95705637"},
    {"HMAC-SHA1, RFC 2202 section 3, case 7", "4ca0ef38f1794b28a8f8ee110ee79d48ce13be25",
     "Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
     "e8e99d0f45237d786d6bbaa7"},
};

struct GcmVector {
  absl::string_view source;
  absl::string_view key;
  absl::string_view sealed;
  absl::string_view tag;
};
// RFC 7714 sections 16.1.1 and 16.2.1: a packet's IV, header and payload. The IV is printed with 12
// bytes; the last four are not read.
constexpr absl::string_view kGcmIv = "51753c6580c2726f2071841400000000";
constexpr absl::string_view kGcmAssociated = "8040f17b8041f8d35501a0b2";
constexpr absl::string_view kGcmPlain =
    "47616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573";
constexpr GcmVector kGcmVectors[] = {
    {"AES-128-GCM, RFC 7714 section 16.1.1", "000102030405060708090a0b0c0d0e0f",
     "f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833",
     "899d7f27beb16a9152cf765ee4390cce"},
    {"AES-256-GCM, RFC 7714 section 16.2.1",
     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
     "32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b",
     "7aa3db36dfffd6b0f9bb7878d7a76c13"},
};

using Bytes = std::vector<uint8_t>;

// The digits are ours, and lower case.
Bytes FromHex(absl::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes(hex.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  }
  return bytes;
}

absl::Status Wrong(absl::string_view source, size_t job, size_t count) {
  return absl::InternalError(
      absl::StrCat("wrong answer to ", source, ": job ", job + 1, " of ", count));
}

// Keys of all sizes in one batch, in turn.
absl::Status TestCounterMode(CryptoEngine& engine, size_t count, size_t first) {
  const Bytes counter_block = FromHex(kCounterBlock);
  const auto vector_of = [first](size_t job) -> const CounterModeVector& {
    return kCounterModeVectors[(first + job) % std::size(kCounterModeVectors)];
  };
  std::vector<std::unique_ptr<CounterModeKey>> keys;
  std::vector<Bytes> data;
  std::vector<CounterModeJob> jobs;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back(engine.MakeCounterModeKey());
    keys.back()->Set(FromHex(vector_of(i).key));
    // Zeros, so that what comes out is the keystream. Not all of it for everybody, so that the end
    // of a block is no special place.
    data.push_back(Bytes(FromHex(vector_of(i).keystream).size() - i));
  }
  for (size_t i = 0; i < count; ++i) {
    jobs.push_back({keys[i].get(), counter_block.data(), data[i].data(), data[i].size()});
  }
  engine.Crypt(jobs);
  for (size_t i = 0; i < count; ++i) {
    Bytes expected = FromHex(vector_of(i).keystream);
    expected.resize(data[i].size());
    if (data[i] != expected) return Wrong(vector_of(i).source, i, count);
  }
  return absl::OkStatus();
}

// `vector_of(i)` is the i-th job's.
absl::Status TestMac(CryptoEngine& engine, size_t count,
                     absl::FunctionRef<const MacVector&(size_t)> vector_of) {
  std::vector<std::unique_ptr<HmacSha1Key>> keys;
  std::vector<Bytes> data;
  std::vector<std::array<uint8_t, kMacSize>> macs(count);
  std::vector<MacJob> jobs;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back(engine.MakeHmacSha1Key());
    keys.back()->Set(FromHex(vector_of(i).key));
    data.emplace_back(vector_of(i).text.begin(), vector_of(i).text.end());
  }
  for (size_t i = 0; i < count; ++i) {
    jobs.push_back({keys[i].get(), data[i].data(), data[i].size(), macs[i].data()});
  }
  engine.Authenticate(jobs);
  for (size_t i = 0; i < count; ++i) {
    const Bytes expected = FromHex(vector_of(i).mac);
    if (!std::equal(macs[i].begin(), macs[i].end(), expected.begin(), expected.end())) {
      return Wrong(vector_of(i).source, i, count);
    }
  }
  return absl::OkStatus();
}

absl::Status TestGcm(CryptoEngine& engine, const GcmVector& vector) {
  const Bytes iv = FromHex(kGcmIv);
  const Bytes associated = FromHex(kGcmAssociated);
  const Bytes plain = FromHex(kGcmPlain);
  const std::unique_ptr<GcmKey> key = engine.MakeGcmKey();
  key->Set(FromHex(vector.key));
  Bytes data = plain;
  Bytes tag(kGcmTagSize);
  const GcmJob job{key.get(),   iv.data(),   associated.data(), associated.size(),
                   data.data(), data.size(), tag.data()};
  engine.Seal(job);
  if (data != FromHex(vector.sealed) || tag != FromHex(vector.tag)) {
    return Wrong(absl::StrCat(vector.source, ", sealing"), 0, 1);
  }
  if (!engine.Open(job) || data != plain) {
    return Wrong(absl::StrCat(vector.source, ", opening"), 0, 1);
  }
  CopyBytes(absl::MakeSpan(data), FromHex(vector.sealed));
  tag.back() ^= 1;
  if (engine.Open(job) || data != Bytes(plain.size(), 0)) {
    return Wrong(absl::StrCat(vector.source, ", a false tag"), 0, 1);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SelfTestEngine(CryptoEngine& engine) {
  for (const size_t count : kBatches) {
    // So that each vector is also first, and alone.
    for (size_t first = 0; first < std::size(kCounterModeVectors); ++first) {
      if (absl::Status status = TestCounterMode(engine, count, first); !status.ok()) return status;
    }
    for (const MacVector& vector : kMacVectors) {
      const auto same = [&vector](size_t) -> const MacVector& { return vector; };
      if (absl::Status status = TestMac(engine, count, same); !status.ok()) return status;
    }
    const auto in_turn = [](size_t job) -> const MacVector& {
      return kMacVectors[job % std::size(kMacVectors)];
    };
    if (absl::Status status = TestMac(engine, count, in_turn); !status.ok()) return status;
  }
  for (const GcmVector& vector : kGcmVectors) {
    if (absl::Status status = TestGcm(engine, vector); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace sluice

#include "srtp/crypto/hmac_lanes.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/hmac_block.h"

#ifndef __clang__
// The compiler's own header uses a variable that is not set, where it wants no certain value.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

// Not for the whole file: what it includes is compiled elsewhere too, and the linker keeps one.
#define SLUICE_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))
#define SLUICE_AVX512_INLINE SLUICE_AVX512 __attribute__((always_inline)) static inline

namespace sluice {
namespace {

constexpr size_t kStateWords = 5;
constexpr size_t kStateSize = 4 * kStateWords;
constexpr size_t kBlockWords = 16;
// A bit of 1 and the length in 64 bits follow the message (FIPS 180-4 section 5.1.1).
constexpr size_t kMinPadding = 1 + 8;
constexpr size_t kLengthSize = 8;

// FIPS 180-4 section 4.2.1, one for each 20 rounds.
constexpr uint32_t kConstants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
// Section 4.1.1, as truth tables for VPTERNLOGD: choose, parity, majority, parity.
constexpr int kFunctions[] = {0xca, 0x96, 0xe8, 0x96};
constexpr int kXor3 = 0x96;

// Eight lanes.
struct Narrow {
  static constexpr size_t kLanes = kNarrowHmacLanes;
  using Vector = __m256i;

  SLUICE_AVX512_INLINE Vector Load(const void* from) { return _mm256_loadu_epi32(from); }
  SLUICE_AVX512_INLINE void Store(void* to, Vector v) { _mm256_storeu_epi32(to, v); }
  // Of those lanes whose bit is set.
  SLUICE_AVX512_INLINE void StoreSome(void* to, uint32_t lanes, Vector v) {
    _mm256_mask_storeu_epi32(to, static_cast<__mmask8>(lanes), v);
  }
  SLUICE_AVX512_INLINE Vector Same(uint32_t word) {
    return _mm256_set1_epi32(static_cast<int>(word));
  }
  SLUICE_AVX512_INLINE Vector Add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  SLUICE_AVX512_INLINE Vector Xor(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  template <int kCount>
  SLUICE_AVX512_INLINE Vector RotateLeft(Vector v) {
    return _mm256_rol_epi32(v, kCount);
  }
  template <int kTable>
  SLUICE_AVX512_INLINE Vector Combine(Vector a, Vector b, Vector c) {
    return _mm256_ternarylogic_epi32(a, b, c, kTable);
  }
  SLUICE_AVX512_INLINE Vector SwapBytes(Vector v) {
    return _mm256_shuffle_epi8(v, _mm256_set_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203,
                                                   0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203));
  }

  // There are three places for additions, of which permutations leave two free.
  static constexpr bool kStagesAhead = false;
  // From words in a row for each lane to lanes in a vector for each word.
  SLUICE_AVX512_INLINE void LoadBlock(const uint8_t* const* from, Vector* words) {
    for (size_t half = 0; half < 2; ++half) {
      Vector rows[8];
      for (size_t lane = 0; lane < kLanes; ++lane) {
        rows[lane] = SwapBytes(Load(from[lane] + 32 * half));
      }
      Vector pairs[8];
      for (size_t i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
      }
      Vector quads[8];
      for (size_t i = 0; i < 8; i += 4) {
        quads[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
        quads[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
        quads[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        quads[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
      }
      for (size_t i = 0; i < 4; ++i) {
        words[8 * half + i] = _mm256_permute2x128_si256(quads[i], quads[i + 4], 0x20);
        words[8 * half + i + 4] = _mm256_permute2x128_si256(quads[i], quads[i + 4], 0x31);
      }
    }
  }
};

// Sixteen lanes.
struct Wide {
  static constexpr size_t kLanes = kHmacLanes;
  using Vector = __m512i;

  SLUICE_AVX512_INLINE Vector Load(const void* from) { return _mm512_loadu_epi32(from); }
  SLUICE_AVX512_INLINE void Store(void* to, Vector v) { _mm512_storeu_epi32(to, v); }
  SLUICE_AVX512_INLINE void StoreSome(void* to, uint32_t lanes, Vector v) {
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), v);
  }
  SLUICE_AVX512_INLINE Vector Same(uint32_t word) {
    return _mm512_set1_epi32(static_cast<int>(word));
  }
  SLUICE_AVX512_INLINE Vector Add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  SLUICE_AVX512_INLINE Vector Xor(Vector a, Vector b) { return _mm512_xor_epi32(a, b); }
  template <int kCount>
  SLUICE_AVX512_INLINE Vector RotateLeft(Vector v) {
    return _mm512_rol_epi32(v, kCount);
  }
  template <int kTable>
  SLUICE_AVX512_INLINE Vector Combine(Vector a, Vector b, Vector c) {
    return _mm512_ternarylogic_epi32(a, b, c, kTable);
  }
  SLUICE_AVX512_INLINE Vector SwapBytes(Vector v) {
    return _mm512_shuffle_epi8(v,
                               _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203));
  }

  // There are two places for additions, and permutations take one of them.
  static constexpr bool kStagesAhead = true;
  // A block comes in four parts, which are four lanes each. This is half of their transposition:
  // staged[4 * part + j] has word j of each four words of these lanes.
  static constexpr size_t kParts = 4;
  SLUICE_AVX512_INLINE void Stage(const uint8_t* const* from, size_t part, Vector* staged) {
    Vector rows[4];
    for (size_t i = 0; i < 4; ++i) {
      rows[i] = SwapBytes(Load(from[4 * part + i]));
    }
    const Vector low_01 = _mm512_unpacklo_epi32(rows[0], rows[1]);
    const Vector high_01 = _mm512_unpackhi_epi32(rows[0], rows[1]);
    const Vector low_23 = _mm512_unpacklo_epi32(rows[2], rows[3]);
    const Vector high_23 = _mm512_unpackhi_epi32(rows[2], rows[3]);
    staged[4 * part] = _mm512_unpacklo_epi64(low_01, low_23);
    staged[4 * part + 1] = _mm512_unpackhi_epi64(low_01, low_23);
    staged[4 * part + 2] = _mm512_unpacklo_epi64(high_01, high_23);
    staged[4 * part + 3] = _mm512_unpackhi_epi64(high_01, high_23);
    for (size_t i = 0; i < 4; ++i) {
      // In memory, or the compiler would keep it in registers that the rounds need.
      __asm__("" : "+m"(staged[4 * part + i]));
    }
  }
  // The other half.
  SLUICE_AVX512_INLINE void Unstage(const Vector* staged, Vector* words) {
    for (size_t j = 0; j < 4; ++j) {
      const Vector even_low = _mm512_shuffle_i32x4(staged[j], staged[4 + j], 0x88);
      const Vector odd_low = _mm512_shuffle_i32x4(staged[j], staged[4 + j], 0xdd);
      const Vector even_high = _mm512_shuffle_i32x4(staged[8 + j], staged[12 + j], 0x88);
      const Vector odd_high = _mm512_shuffle_i32x4(staged[8 + j], staged[12 + j], 0xdd);
      words[j] = _mm512_shuffle_i32x4(even_low, even_high, 0x88);
      words[4 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0x88);
      words[8 + j] = _mm512_shuffle_i32x4(even_low, even_high, 0xdd);
      words[12 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd);
    }
  }
};

// FIPS 180-4 section 6.1.2.
template <typename Lanes>
struct Working {
  typename Lanes::Vector a, b, c, d, e;
};

template <typename Lanes, size_t t>
SLUICE_AVX512_INLINE void Round(Working<Lanes>& s, typename Lanes::Vector* w) {
  using Vector = typename Lanes::Vector;
  Vector& word = w[t % kBlockWords];
  if constexpr (t >= kBlockWords) {
    // Kept in a ring: W(t - 3), W(t - 8), W(t - 14) and W(t - 16), which is in the new one's place.
    word = Lanes::template RotateLeft<1>(Lanes::Xor(
        Lanes::template Combine<kXor3>(w[(t + 13) % kBlockWords], w[(t + 8) % kBlockWords],
                                       w[(t + 2) % kBlockWords]),
        word));
  }
  // What depends on the round before, the rotation of a, is added last: only that is waited for.
  // The compiler must not add in another order, which makes it a tenth slower.
  typename Lanes::Vector sum = Lanes::Add(s.e, Lanes::Add(word, Lanes::Same(kConstants[t / 20])));
  __asm__("" : "+v"(sum));
  sum = Lanes::Add(sum, Lanes::template Combine<kFunctions[t / 20]>(s.b, s.c, s.d));
  s.e = s.d;
  s.d = s.c;
  s.c = Lanes::template RotateLeft<30>(s.b);
  s.b = s.a;
  s.a = Lanes::Add(sum, Lanes::template RotateLeft<5>(s.a));
}

template <typename Lanes, size_t first, size_t... t>
SLUICE_AVX512_INLINE void Rounds(Working<Lanes>& s, typename Lanes::Vector* w,
                                 std::index_sequence<t...>) {
  (Round<Lanes, first + t>(s, w), ...);
}

// The part of a hash that is done before anything is staged, and all of it.
constexpr size_t kFirstRounds = 20;
constexpr size_t kRounds = 80;

// Does the other rounds of one block and stages the next one in between, so that the one's
// additions and the other's permutations, which different parts of the CPU do, do not wait for each
// other.
template <typename Lanes, size_t... part>
SLUICE_AVX512_INLINE void RoundsAndStage(Working<Lanes>& s, typename Lanes::Vector* w,
                                         const uint8_t* const* from, typename Lanes::Vector* staged,
                                         std::index_sequence<part...>) {
  constexpr size_t kEach = (kRounds - kFirstRounds) / Lanes::kParts;
  ((Lanes::Stage(from, part, staged),
    Rounds<Lanes, kFirstRounds + part * kEach>(s, w, std::make_index_sequence<kEach>())),
   ...);
}

// A vector for each word of the state, in memory: word i of a lane is at [i][4 * lane], in the
// CPU's byte order.
template <typename Lanes>
struct States {
  static constexpr size_t kRowSize = 4 * Lanes::kLanes;

  void SetLane(size_t lane, const uint8_t* words) {
    for (size_t i = 0; i < kStateWords; ++i) {
      CopyBytes({rows[i].data() + 4 * lane, 4}, {words + 4 * i, 4});
    }
  }

  alignas(64) std::array<std::array<uint8_t, kRowSize>, kStateWords> rows;
};

template <typename Lanes>
SLUICE_AVX512_INLINE Working<Lanes> Load(const States<Lanes>& states) {
  return {Lanes::Load(states.rows[0].data()), Lanes::Load(states.rows[1].data()),
          Lanes::Load(states.rows[2].data()), Lanes::Load(states.rows[3].data()),
          Lanes::Load(states.rows[4].data())};
}
template <typename Lanes>
SLUICE_AVX512_INLINE void Store(const Working<Lanes>& s, States<Lanes>& states) {
  Lanes::Store(states.rows[0].data(), s.a);
  Lanes::Store(states.rows[1].data(), s.b);
  Lanes::Store(states.rows[2].data(), s.c);
  Lanes::Store(states.rows[3].data(), s.d);
  Lanes::Store(states.rows[4].data(), s.e);
}

template <typename Lanes>
SLUICE_AVX512_INLINE void Add(const Working<Lanes>& before, Working<Lanes>& s) {
  s = {Lanes::Add(s.a, before.a), Lanes::Add(s.b, before.b), Lanes::Add(s.c, before.c),
       Lanes::Add(s.d, before.d), Lanes::Add(s.e, before.e)};
}

template <typename Lanes, size_t... part>
SLUICE_AVX512_INLINE void StageAll(const uint8_t* const* from, typename Lanes::Vector* staged,
                                   std::index_sequence<part...>) {
  (Lanes::Stage(from, part, staged), ...);
}

template <size_t kLanes>
SLUICE_AVX512_INLINE void MoveOn(std::array<const uint8_t*, kLanes>& from, size_t size) {
  for (const uint8_t*& lane : from) {
    lane += size;
  }
}

// Hashes `count` blocks of each lane; at least one.
template <typename Lanes>
SLUICE_AVX512 __attribute__((noinline)) void HashBlocks(
    std::array<const uint8_t*, Lanes::kLanes> from, size_t count, States<Lanes>& states) {
  typename Lanes::Vector w[kBlockWords];
  Working<Lanes> s = Load(states);
  if constexpr (Lanes::kStagesAhead) {
    constexpr auto kParts = std::make_index_sequence<Lanes::kParts>();
    typename Lanes::Vector staged[kBlockWords];
    StageAll<Lanes>(from.data(), staged, kParts);
    for (size_t block = 0; block < count; ++block) {
      Lanes::Unstage(staged, w);
      // The last one is staged once more, for nothing.
      MoveOn(from, block + 1 < count ? kSha1BlockSize : 0);
      const Working<Lanes> before = s;
      Rounds<Lanes, 0>(s, w, std::make_index_sequence<kFirstRounds>());
      RoundsAndStage<Lanes>(s, w, from.data(), staged, kParts);
      Add(before, s);
    }
  } else {
    for (size_t block = 0; block < count; ++block) {
      Lanes::LoadBlock(from.data(), w);
      const Working<Lanes> before = s;
      Rounds<Lanes, 0>(s, w, std::make_index_sequence<kRounds>());
      Add(before, s);
      MoveOn(from, kSha1BlockSize);
    }
  }
  Store(s, states);
}

// Hashes the one block that follows the outer key: the inner digest, which is there already word by
// word, and its padding. Leaves the first words in the byte order of SHA-1.
template <typename Lanes>
SLUICE_AVX512 __attribute__((noinline)) void HashDigests(const States<Lanes>& digests,
                                                         States<Lanes>& states) {
  const Working<Lanes> digest = Load(digests);
  const typename Lanes::Vector zero = Lanes::Same(0);
  typename Lanes::Vector w[kBlockWords] = {
      digest.a, digest.b,
      digest.c, digest.d,
      digest.e, Lanes::Same(0x80000000),
      zero,     zero,
      zero,     zero,
      zero,     zero,
      zero,     zero,
      zero,     Lanes::Same(8 * (kSha1BlockSize + kStateSize))};
  const Working<Lanes> before = Load(states);
  Working<Lanes> s = before;
  Rounds<Lanes, 0>(s, w, std::make_index_sequence<kRounds>());
  Add(before, s);
  s.a = Lanes::SwapBytes(s.a);
  s.b = Lanes::SwapBytes(s.b);
  s.c = Lanes::SwapBytes(s.c);
  Store(s, states);
}

// The end of a message that does not fill a block, with its padding.
struct Rest {
  // `size` is that of the whole message, the inner key's block not counted.
  SLUICE_AVX512 void Set(const uint8_t* data, size_t size) {
    const size_t used = size % kSha1BlockSize;
    const __mmask64 end = uint64_t{1} << used;
    const __m512i bytes = _mm512_maskz_loadu_epi8(end - 1, data + size - used);
    _mm512_storeu_epi32(buffer.data(), _mm512_mask_mov_epi8(bytes, end, _mm512_set1_epi8(-0x80)));
    _mm512_storeu_epi32(buffer.data() + kSha1BlockSize, _mm512_setzero_si512());
    blocks = used + kMinPadding <= kSha1BlockSize ? 1 : 2;
    StoreBe64(buffer.data() + blocks * kSha1BlockSize - kLengthSize,
              uint64_t{kSha1BlockSize + size} * 8);
  }

  alignas(64) std::array<uint8_t, 2 * kSha1BlockSize> buffer;
  uint32_t blocks;
};

// Hashes the messages of all lanes under their inner keys, which `states` has, and puts the digests
// into `digests`. A lane has whole blocks of its message first, and then its rest.
template <typename Lanes>
SLUICE_AVX512 void HashMessages(absl::Span<const LaneMac> macs, States<Lanes>& states,
                                States<Lanes>& digests) {
  // More than ever are counted down.
  constexpr uint32_t kIdle = UINT32_MAX;
  std::array<Rest, Lanes::kLanes> rests;
  std::array<const uint8_t*, Lanes::kLanes> from;
  std::array<uint32_t, Lanes::kLanes> blocks;
  // Those that hash their message's whole blocks, and those that are not done.
  uint32_t whole = 0;
  uint32_t busy = (uint32_t{1} << macs.size()) - 1;
  for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
    if (lane >= macs.size()) {
      blocks[lane] = kIdle;
      continue;
    }
    const LaneMac& mac = macs[lane];
    rests[lane].Set(mac.data, mac.size);
    const bool any = mac.size >= kSha1BlockSize;
    whole |= uint32_t{any} << lane;
    from[lane] = any ? mac.data : rests[lane].buffer.data();
    blocks[lane] = any ? static_cast<uint32_t>(mac.size / kSha1BlockSize) : rests[lane].blocks;
  }
  while (busy != 0) {
    // Until somebody needs something else.
    const uint32_t count = *std::min_element(blocks.begin(), blocks.end());
    uint32_t ended = 0;
    for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
      ended |= uint32_t{blocks[lane] == count} << lane;
      blocks[lane] -= count;
    }
    // Idle lanes hash another one's data, to no end.
    const uint8_t* const any = from[std::countr_zero(busy)];
    for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
      from[lane] = (busy >> lane & 1) != 0 ? from[lane] : any;
    }
    HashBlocks<Lanes>(from, count, states);
    for (const uint8_t*& lane : from) {
      lane += count * kSha1BlockSize;
    }
    for (uint32_t bits = ended & whole; bits != 0; bits &= bits - 1) {
      const int lane = std::countr_zero(bits);
      from[lane] = rests[lane].buffer.data();
      blocks[lane] = rests[lane].blocks;
    }
    const uint32_t done = ended & ~whole;
    whole &= ~ended;
    for (uint32_t bits = done; bits != 0; bits &= bits - 1) {
      blocks[std::countr_zero(bits)] = kIdle;
    }
    busy &= ~done;
    for (size_t i = 0; i < kStateWords && done != 0; ++i) {
      Lanes::StoreSome(digests.rows[i].data(), done, Lanes::Load(states.rows[i].data()));
    }
  }
}

template <typename Lanes>
void Compute(absl::Span<const LaneMac> macs) {
  // Idle lanes have something too, though it does not matter what.
  States<Lanes> inner = {};
  States<Lanes> outer = {};
  States<Lanes> digests = {};
  for (size_t lane = 0; lane < macs.size(); ++lane) {
    inner.SetLane(lane, macs[lane].inner);
    outer.SetLane(lane, macs[lane].outer);
  }
  HashMessages(macs, inner, digests);
  HashDigests(digests, outer);
  for (size_t lane = 0; lane < macs.size(); ++lane) {
    for (size_t i = 0; i < kMacSize / 4; ++i) {
      CopyBytes({macs[lane].mac + 4 * i, 4}, {outer.rows[i].data() + 4 * lane, 4});
    }
  }
}

}  // namespace

bool CanComputeLaneMacs(const CpuFeatures& features) {
  return features.avx512 && features.os_saves_avx512;
}

void ComputeLaneMacs(absl::Span<const LaneMac> macs) {
  SLUICE_DCHECK(macs.size() <= kHmacLanes);
  if (macs.size() <= kNarrowHmacLanes) {
    Compute<Narrow>(macs);
  } else {
    Compute<Wide>(macs);
  }
}

}  // namespace sluice

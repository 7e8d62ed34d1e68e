// Every buffer of a job lies flush against memory that cannot be touched, at its beginning and at
// its end: an engine that reads or writes a byte too many faults. Sanitizers do not see this, as
// intel-ipsec-mb is not compiled with them.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/testing/every_engine.h"

namespace sluice {
namespace {

// Which end of its page a buffer touches.
enum class Edge { kBegin, kEnd };

// One page between two that fault.
class FencedPage {
 public:
  FencedPage() : size_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    void* pages = mmap(nullptr, 3 * size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SLUICE_CHECK(pages != MAP_FAILED);
    pages_ = static_cast<uint8_t*>(pages);
    SLUICE_CHECK(mprotect(pages_ + size_, size_, PROT_READ | PROT_WRITE) == 0);
  }
  ~FencedPage() { munmap(pages_, 3 * size_); }
  FencedPage(const FencedPage&) = delete;
  FencedPage& operator=(const FencedPage&) = delete;

  uint8_t* Place(size_t size, Edge edge) {
    return pages_ + size_ + (edge == Edge::kEnd ? size_ - size : 0);
  }

 private:
  const size_t size_;
  uint8_t* pages_;
};

// Around blocks of AES and SHA-1, and the sizes of packets.
constexpr size_t kSizes[] = {1,   2,   3,    4,    7,    8,    11,   12,  15,  16,  17,
                             31,  32,  33,   47,   55,   56,   63,   64,  65,  100, 119,
                             120, 127, 128,  129,  160,  191,  192,  255, 256, 257, 511,
                             513, 999, 1000, 1023, 1025, 1400, 1500, 1824};
// One, some and more than all lanes.
constexpr size_t kCounts[] = {1, 5, 16, 19};

void ForEachEngine(absl::FunctionRef<void(CryptoEngine&)> test) {
  for (const NamedEngine& named : EveryEngine()) {
    SCOPED_TRACE(named.name);
    test(*named.engine);
  }
}

void CryptAtTheEdges(CryptoEngine& engine) {
  std::vector<FencedPage> data(19), blocks(19);
  for (const size_t key_size : {16, 24, 32}) {
    const std::unique_ptr<CounterModeKey> key = engine.MakeCounterModeKey();
    FencedPage key_page;
    for (const Edge edge : {Edge::kBegin, Edge::kEnd}) {
      key->Set(absl::MakeConstSpan(key_page.Place(key_size, edge), key_size));
      for (const size_t size : kSizes) {
        for (const size_t count : kCounts) {
          std::vector<CounterModeJob> jobs;
          for (size_t i = 0; i < count; ++i) {
            jobs.push_back({key.get(), blocks[i].Place(kCounterBlockSize, edge),
                            data[i].Place(size, edge), size});
          }
          engine.Crypt(jobs);
        }
      }
    }
  }
}

TEST(EngineBoundsTest, CryptStaysInside) { ForEachEngine(CryptAtTheEdges); }

void AuthenticateAtTheEdges(CryptoEngine& engine) {
  std::vector<FencedPage> data(19), macs(19);
  const std::unique_ptr<HmacSha1Key> key = engine.MakeHmacSha1Key();
  FencedPage key_page;
  for (const Edge edge : {Edge::kBegin, Edge::kEnd}) {
    key->Set(absl::MakeConstSpan(key_page.Place(kMacKeySize, edge), kMacKeySize));
    for (const size_t size : kSizes) {
      for (const size_t count : kCounts) {
        std::vector<MacJob> jobs;
        for (size_t i = 0; i < count; ++i) {
          jobs.push_back(
              {key.get(), data[i].Place(size, edge), size, macs[i].Place(kMacSize, edge)});
        }
        engine.Authenticate(jobs);
      }
    }
  }
}

TEST(EngineBoundsTest, AuthenticateStaysInside) { ForEachEngine(AuthenticateAtTheEdges); }

void SealAndOpenAtTheEdges(CryptoEngine& engine) {
  FencedPage data, iv, associated, tag, key_page;
  for (const size_t key_size : {16, 32}) {
    const std::unique_ptr<GcmKey> key = engine.MakeGcmKey();
    for (const Edge edge : {Edge::kBegin, Edge::kEnd}) {
      key->Set(absl::MakeConstSpan(key_page.Place(key_size, edge), key_size));
      for (const size_t associated_size : {0, 1, 12, 15, 16, 17, 28, 80}) {
        for (const size_t size : kSizes) {
          // The interface promises 16 readable bytes of IV.
          const GcmJob job{key.get(),
                           iv.Place(kCounterBlockSize, edge),
                           associated.Place(associated_size, edge),
                           associated_size,
                           data.Place(size, edge),
                           size,
                           tag.Place(kGcmTagSize, edge)};
          engine.Seal(job);
          ASSERT_TRUE(engine.Open(job)) << size;
          engine.Seal(job);
          job.tag[0] ^= 1;
          ASSERT_FALSE(engine.Open(job)) << size;
        }
      }
    }
  }
}

TEST(EngineBoundsTest, SealAndOpenStayInside) { ForEachEngine(SealAndOpenAtTheEdges); }

// A fence that does not fault would prove nothing.
TEST(FencedPageDeathTest, FaultsOnEitherSide) {
  FencedPage page;
  volatile uint8_t* begin = page.Place(10, Edge::kBegin);
  volatile uint8_t* end = page.Place(10, Edge::kEnd) + 10;
  begin[0] = 1;
  end[-1] = 1;
  EXPECT_DEATH(static_cast<void>(begin[-1]), "");
  EXPECT_DEATH(static_cast<void>(end[0]), "");
}

}  // namespace
}  // namespace sluice

#include "quic/client/ticket_store.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TicketStoreTest, WhatIsTakenIsGone) {
  TicketStore store;
  EXPECT_EQ(store.Take("a"), ServerMemory());
  store.PutTicket("a", {1}, {2});
  store.PutToken("a", {3});
  store.PutToken("b", {4});
  EXPECT_EQ(store.Take("a"), (ServerMemory{{1}, {2}, {3}}));
  EXPECT_EQ(store.Take("a"), ServerMemory());
  EXPECT_EQ(store.Take("b"), (ServerMemory{{}, {}, {4}}));
}

TEST(TicketStoreTest, TheLastOneCounts) {
  TicketStore store;
  store.PutTicket("a", {1}, {2});
  store.PutTicket("a", {5}, {6});
  EXPECT_EQ(store.Take("a"), (ServerMemory{{5}, {6}, {}}));
}

TEST(TicketStoreTest, ManyServersDoNotMakeItGrow) {
  TicketStore store;
  const size_t kMany = TicketStore::kMaxServers + 10;
  for (size_t i = 0; i < kMany; ++i) store.PutToken(absl::StrCat(i), {1});
  size_t kept = 0;
  for (size_t i = 0; i < kMany; ++i) kept += store.Take(absl::StrCat(i)).token.size();
  EXPECT_EQ(kept, TicketStore::kMaxServers);
}

}  // namespace
}  // namespace sluice

/// A known optimal set rides through the search: no prune may cut it off while it is better than
/// what is kept. And once warm, a search allocates nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "flip/flip.hpp"
#include "flip/second_opinion.hpp"
#include "search/flip_engine.hpp"
#include "search/flip_search.hpp"
#include "search/l2_nodes.hpp"
#include "search/vertex_nodes.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"

// Every allocation of the program passes here, Eigen's included. Not under a sanitizer, which has
// taken the place itself.
#if defined(__GLIBC__) && !defined(REDOUBT_IS_SANITIZED)
#define REDOUBT_COUNTS_ALLOCATIONS 1
static std::atomic<std::size_t> n_allocations{0};
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
    ++n_allocations;
    return __libc_malloc(size);
}
#endif

namespace redoubt::testing {
namespace {

struct WatchKnownOptimum {
    std::vector<int> optimum;
    double distance = 0.0;
    int n_looks = 0;
    int n_wrong_prunes = 0;

    bool contains(int plane) const {
        return std::find(optimum.begin(), optimum.end(), plane) != optimum.end();
    }

    bool is_below(const std::vector<int>& members, const std::vector<int>& free) const {
        const auto is_in = [&](int plane) {
            return std::find(members.begin(), members.end(), plane) != members.end() ||
                   std::find(free.begin(), free.end(), plane) != free.end();
        };
        return std::all_of(members.begin(), members.end(),
                           [&](int plane) { return contains(plane); }) &&
               std::all_of(optimum.begin(), optimum.end(), is_in);
    }

    void on_drop(int plane, double cutoff) {
        if (!contains(plane)) return;
        ++n_looks;
        n_wrong_prunes += distance < cutoff * (1.0 - 1e-9) - 1e-12 ? 1 : 0;
    }

    template <typename Candidates>
    void on_skip(const Candidates& sorted, std::size_t at, double cutoff) {
        for (std::size_t i = at + 1; i < sorted.size(); ++i) {
            if (contains(sorted[i].plane)) return;
        }
        on_drop(sorted[at].plane, cutoff);
    }
};

template <typename Nodes>
void ride_along(Norm norm, int* n_looks) {
    for (VoteKind kind :
         {VoteKind::Random, VoteKind::Bagged, VoteKind::ZeroPlanes, VoteKind::Scaled}) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const auto k = static_cast<Index>(3 + seed % 8);
            const auto n = static_cast<Index>(2 + seed % 5);
            const RandomVote vote = seed % 2 == 0 ? make_random_vote(kind, k, n, seed + 7000)
                                                  : make_weighted_vote(kind, k, n, seed + 7000);
            const int from = vote.ensemble.predict(vote.x);
            const Flip oracle = reference_flip(Solver::Enumerate, vote.ensemble,
                                               testing::ball(norm), vote.x, from, PointLimits{});
            if (oracle.d.size() == 0) continue;
            const testing::PreparedVote prepared(vote.ensemble, testing::ball(norm));
            const PlaneSet& planes = prepared.planes.planes;
            Index need = weight_needed(vote.ensemble, from);
            for (int plane : prepared.planes.still) {
                const bool is_fooled = (vote.ensemble.intercept()[plane] >= 0.0 ? 1 : -1) != from;
                need -= is_fooled ? vote.ensemble.weight_units(plane) : 0;
            }
            WatchKnownOptimum watch;
            watch.distance = oracle.lower;
            const std::vector<int> fooled = fooled_planes(vote.ensemble, vote.x + oracle.d, from);
            Index weight = 0;
            for (Index i = 0; i < planes.n_planes() && weight < need; ++i) {
                if (std::find(fooled.begin(), fooled.end(), planes.index(i)) != fooled.end()) {
                    watch.optimum.push_back(static_cast<int>(i));
                    weight += planes.weight(i);
                }
            }
            const PointMargins margins = testing::ball_margins(prepared.planes, vote.x, from);
            FlipSearch<Nodes, WatchKnownOptimum> search(planes, watch);
            const SearchResult result = search.run(margins, need, HUGE_VAL, PointLimits{});
            EXPECT_EQ(search.watch().n_wrong_prunes, 0) << to_string(kind) << " seed " << seed;
            EXPECT_NEAR(result.distance, oracle.lower, 1e-9 * oracle.lower + 1e-12);
            *n_looks += search.watch().n_looks;
        }
    }
}

TEST(KnownOptimum, IsNeverCutOffInL2) {
    int n_looks = 0;
    ride_along<L2Nodes>(Norm::L2, &n_looks);
    EXPECT_GT(n_looks, 50);
}

TEST(KnownOptimum, IsNeverCutOffInL1AndLInf) {
    int n_looks = 0;
    ride_along<VertexNodes>(Norm::L1, &n_looks);
    ride_along<VertexNodes>(Norm::LInf, &n_looks);
    EXPECT_GT(n_looks, 100);
}

#ifdef REDOUBT_COUNTS_ALLOCATIONS
TEST(SearchMemory, AWarmSearchAllocatesNothingPerNode) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        std::int64_t n_nodes = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const RandomVote vote = make_random_vote(VoteKind::Random, 41, 8, seed);
            const testing::PreparedVote prepared(vote.ensemble, testing::ball(norm));
            const int from = vote.ensemble.predict(vote.x);
            const PointMargins margins = testing::ball_margins(prepared.planes, vote.x, from);
            FlipEngine engine(prepared.planes.planes, false);
            const Index need = weight_needed(vote.ensemble, from);
            // States change places during a dive; after three runs all of them have grown to size.
            SearchResult first;
            for (int i = 0; i < 3; ++i) first = engine.run(margins, need, HUGE_VAL, PointLimits{});
            const std::size_t before = n_allocations;
            const SearchResult second = engine.run(margins, need, HUGE_VAL, PointLimits{});
            const std::size_t n_new = n_allocations - before;
            EXPECT_EQ(second.distance, first.distance);
            // The incumbent's point, planes and multipliers, and their copies that leave with the
            // result.
            EXPECT_LE(n_new, 6U) << to_string(norm) << ", " << second.n_nodes << " nodes";
            n_nodes += second.n_nodes;
        }
        EXPECT_GT(n_nodes, 100) << to_string(norm);
    }
}
#endif

}  // namespace
}  // namespace redoubt::testing

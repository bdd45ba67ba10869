#pragma once

#include <vector>

#include "redoubt/proof.hpp"
#include "search/plane_set.hpp"
#include "search/search_log.hpp"

namespace redoubt {

/// What a proof must show, and whether it does.
class RefutationJudge {
public:
    virtual ~RefutationJudge() = default;

    /// True if what a search proved about some planes suffices.
    virtual bool is_enough(double proven) const = 0;
    /// True if these multipliers (of planes of the set) suffice, however they are rounded. If so,
    /// the best charge is stored.
    virtual bool refutes(Refutation& by) = 0;
    /// Makes the best of multipliers that are known to suffice even though few digits of them do
    /// not. False if rounding leaves doubt.
    virtual bool settle(Refutation& by) = 0;
};

/// Shortens the proof of a search: cases covered by others are left out, a refutation of a child
/// that does not use its plane refutes the parent, and multipliers get as few digits as their case
/// allows.
class ProofShortener {
public:
    /// No set of planes below `required`, in any count, matters.
    ProofShortener(RefutationJudge& judge, const PlaneSet& planes, Amounts required);

    /// The same proof, in planes of the ensemble and multipliers of their
    /// coefficients.
    ProofNode shorten(const SearchLog& log);
    /// True if some multipliers are not shown to suffice when all is rounded.
    bool is_doubtful() const { return is_doubtful_; }

private:
    ProofNode shorten(int at, const Amounts& fooled);
    bool bar(ProofNode& node, int plane, Refutation by, Amounts& possible);
    bool is_of_members(const Refutation& by) const;
    /// Of a plane, in all counts together.
    Index weight(int plane) const;
    Amounts with_free(const Amounts& fooled) const;
    Refutation few_digits(SearchLog::By by);
    void use_ensemble(ProofNode& node) const;
    void use_ensemble(Refutation& by) const;

    const SearchLog* log_ = nullptr;
    bool is_doubtful_ = false;
    RefutationJudge& judge_;
    const PlaneSet& planes_;
    Amounts required_;
    std::vector<char> is_member_;
    std::vector<char> is_free_;
};

}  // namespace redoubt

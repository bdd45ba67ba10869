#pragma once

/// The questions behind certificates of several classes, as planes to be fooled.

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "flip/threat_planes.hpp"
#include "redoubt/class_vote.hpp"

namespace redoubt {

/// "Class c is the answer, or beats a rival": all planes are oriented so that +1 favours it, and
/// the search looks for points where enough of them answer +1.
struct ClassProblem {
    ClassProblem(Ensemble turned, std::vector<int> of, const MoveSpace& space, CountingRules rules,
                 Amounts wanted)
        : ensemble(std::move(turned)),
          names(std::move(of)),
          required(std::move(wanted)),
          planes(ensemble, space, std::move(rules)) {}

    /// What the search takes as the current answer of the planes.
    static constexpr int kFrom = -1;

    Ensemble ensemble;
    /// What a proof calls the planes: by votes, their numbers in the class vote; by value, those of
    /// the rivals.
    std::vector<int> names;
    Amounts required;
    ThreatPlanes planes;
};

/// Each problem is built when first needed, and shared by all threads.
class ClassProblems {
public:
    /// Both must outlive this.
    ClassProblems(const ClassVote& vote, const MoveSpace& space) : vote_(vote), space_(space) {}

    /// Class c becomes the answer.
    const ClassProblem& enter(int c);
    /// By value: any rival of class c beats it.
    const ClassProblem& leave(int c);
    /// By votes: class c beats class k.
    const ClassProblem& beat(int c, int k);

    const ClassVote& vote() const { return vote_; }
    const MoveSpace& space() const { return space_; }

private:
    template <typename Make>
    const ClassProblem& find(int c, int k, Make make);
    ClassProblem by_value(int c, bool is_leaving) const;
    ClassProblem by_votes(int c, const std::vector<int>& rivals) const;

    const ClassVote& vote_;
    const MoveSpace& space_;
    std::mutex mutex_;
    std::map<std::pair<int, int>, std::unique_ptr<const ClassProblem>> made_;
};

}  // namespace redoubt

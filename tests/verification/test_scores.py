"""Scores beside values worked out by hand."""

from brit.verification.scores import agreement, classification

H, N = "hallucination", "non-hallucination"


def test_precision_recall_f1_by_class():
    # given H found H ×3, H→N ×1, N→H ×2, N→N ×4
    pairs = [(H, H)] * 3 + [(H, N)] + [(N, H)] * 2 + [(N, N)] * 4
    scores = classification(pairs)
    assert scores[H] == {"precision": 0.6, "recall": 0.75, "f1": 0.6667}
    assert scores[N] == {"precision": 0.8, "recall": 0.6667, "f1": 0.7273}
    assert (scores["accuracy"], scores["macro_f1"]) == (0.7, 0.697)


def test_nothing_to_divide_by():
    assert classification([])["accuracy"] is None
    scores = classification([(N, N)])
    assert scores[H] == {"precision": None, "recall": None, "f1": None}
    assert scores["macro_f1"] == 1.0


def test_agreement_of_grades():
    # Deviations from the means: (-2 -1 0 1 2) and (-1 -2 1 0 2); r = 8 / 10.
    # Ranks are the values themselves; of the ten pairs 8 are concordant, 2 discordant.
    found = agreement([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    assert found == {
        "pairs": 5, "pearson": 0.8, "spearman": 0.8, "kendall": 0.6, "exact": 0.2,
        "within_one": 1.0,
    }  # fmt: skip


def test_ties_are_those_of_kendalls_tau_b():
    # 1 concordant pair of 3, one tied in each list alone: 1 / sqrt(2 · 2).
    assert agreement([1, 1, 2], [1, 2, 2])["kendall"] == 0.5


def test_correlations_that_do_not_exist():
    for given, found in (([], []), ([3], [3]), ([3, 3], [1, 5]), ([1, 5], [3, 3])):
        scores = agreement(given, found)
        assert scores["pearson"] is scores["spearman"] is scores["kendall"] is None

"""Cases that are one test: each is tried, and each that fails is named."""

import pytest

from tests.cases import each


def test_every_case_that_fails_is_named_and_the_others_are_tried():
    tried = []

    @each(("one", "other"), [(1, 1), (1, 2), (3, 4)])
    def are_equal(one, other):
        tried.append(one)
        if one == 3:
            pytest.fail("three")
        assert one == other

    with pytest.raises(AssertionError) as caught:
        are_equal()
    assert tried == [1, 1, 3]
    words = str(caught.value)
    assert "2 of 3 cases" in words
    assert "\n1, 2: AssertionError" in words
    assert "\n3, 4: Failed: three" in words
    with pytest.raises(ValueError, match="no cases"):
        each("one", [])


@each("one", [1, 2])
@each("other", "ab")
def test_lists_of_cases_may_be_combined_and_fixtures_come_by_name(one, other, tmp_path):
    assert tmp_path.is_dir()
    assert (one, other) in {(1, "a"), (1, "b"), (2, "a"), (2, "b")}

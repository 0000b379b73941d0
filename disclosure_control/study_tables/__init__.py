"""The tables that readers of a study expect, made of what came in and of what leaves, and what changed between them.

    before, after = StudySide(...), StudySide(..., like=before)
    compared = compared_tables(study_tables(before), study_tables(after))
    fit_for_use(compared, n_left_out, n_people, FitForUseSettings()).answer  # "yes", "with limits" or "no"

``definitions`` has one file per table or family of tables; ``registry`` finds them.
"""

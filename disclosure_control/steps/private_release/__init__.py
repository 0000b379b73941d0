"""The step ``private_release``: noisy answers under a privacy budget."""

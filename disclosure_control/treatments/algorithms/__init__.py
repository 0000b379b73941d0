"""What the treatments stand on: searches, partitions, rankings, built hierarchies."""

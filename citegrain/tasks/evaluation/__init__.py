"""What a configuration is worth: benchmarks, scores, intervals, studies, reports."""

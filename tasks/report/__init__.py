"""What people and other tools read of a study: TREC files, CSV, figures, HTML."""

from tasks.report.csv_files import DETAILED, STANDARD, paper_qa_rows, write_csv
from tasks.report.trec import trec_lines

__all__ = ["DETAILED", "STANDARD", "paper_qa_rows", "trec_lines", "write_csv"]

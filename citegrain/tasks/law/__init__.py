"""The law and its time: numbers, dates, citations, what is in force, what replaced and amended what."""

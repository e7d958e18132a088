"""Tables that a build has besides those of its documents' stages: where they came from, and what is added."""

import pyarrow as pa

from citegrain.tasks.core.schemas.base import column, table

_S, _I, _F, _D = pa.string(), pa.int32(), pa.float32(), pa.date32()

SOURCES = table(
    "sources",
    1,
    column("document_id", _S, "SHA-256 of the bytes"),
    column("file", _S, "file name when the build was published"),
    column("path", _S, "where it was found, relative to the corpus folder"),
)

VERDICTS = ("", "sound", "incomplete", "doubtful", "failed")
"""Whether the sections of a document were read, the best first; empty where that is not judged.

``incomplete``: what is there was read, and cites a Schedule that is not."""

REPORTS = table(
    "reports",
    2,
    column("document_id", _S, "the document"),
    column("act_id", _S, "the Act"),
    column("verdict", _S, "sound, incomplete, doubtful or failed"),
    column("reason", _S, "what speaks against its reading, in words; empty if nothing"),
    column("n_sections", _I, "different numbers of sections that were read", "sections"),
    column("n_listed", _I, "numbers in its contents", "sections"),
    column("n_unread", _I, "numbers in its contents that were not read", "sections"),
    column("n_gaps", _I, "whole numbers up to the highest known that were not read", "sections"),
    column("n_headings", _I, "rows inside sections that look like the heading of another", "rows"),
    column("n_referred", _I, "sections that its text refers to", "sections"),
    column("n_absent", _I, "those of them that were not read", "sections"),
    column("n_beyond", _I, "those of them behind the last", "sections"),
    column("a_page", _F, "sections a page", "sections"),
    column("longest", _F, "share of the text in the longest section"),
    column("last", _F, "share of the text in the last section, where it is far longer than others"),
    column("outside", _F, "share of the text in no provision"),
    column("heads", _I, "rows left out as running heads, feet and marginal print", "rows"),
    column("heads_left", _I, "rows of the text that say the same as one of them", "rows"),
    column("n_by_model", _I, "sections whose heading a language model read", "sections"),
    column("model_note", _S, "what it was asked and gave, in words; empty where none was asked"),
    added={"n_by_model": 0, "model_note": ""},
)

LEFT_OUT, UNCLAIMED = "left_out", "unclaimed"
"""Places of ``coverage``: what is not read, with its reason, and what nothing accounts for."""

COVERAGE = table(
    "coverage",
    1,
    column("document_id", _S, "the document"),
    column("page", _I, "1-based page", "pages"),
    column(
        "place",
        _S,
        "where its characters stand: provision, contents, running (heads and feet), page_number, footnote, "
        "margin_note, front_matter, form, annexed (a Statement of Objects, comments, State amendments), "
        "left_out or unclaimed",
    ),
    column("reason", _S, "why they are left out; empty of other places"),
    column("n_chars", _I, "how many, white space left out", "characters"),
    column("begins", _S, "the first words of them"),
)

CLASSIFICATION = table(
    "classification",
    1,
    column("act_id", _S, "the Code whose Schedule classifies"),
    column("version_date", _D, "version", null=True),
    column("document_id", _S, "the document"),
    column("law", _S, "the law whose offences are classified, as the Schedule's heading names it"),
    column("number", _S, "section as the Schedule prints it, as 59(b)"),
    column("offence", _S, "what the offence is"),
    column("punishment", _S, "its punishment"),
    column("cognizable_text", _S, "the words of the column"),
    column("bailable_text", _S, "the words of the column"),
    column("court", _S, "by what court it is triable"),
    column("cognizable", _S, "Yes, No, or empty where the words depend on something"),
    column("bailable", _S, "Yes, No, or empty where the words depend on something"),
    column("page", _I, "page on which the entry begins", "pages"),
)

BACKGROUND = table(
    "background",
    1,
    column("text", _S, "a story that people tell; what it is about does not count"),
)

TRANSLATIONS = table(
    "translations",
    1,
    column("chunk_id", _S, "the chunk, whose text stays the original"),
    column("english", _S, "what it is embedded and indexed by besides"),
    column("model", _S, "the model that translated it"),
)

EXPANSION = table(
    "expansion",
    1,
    column("text", _S, "what a person says to whom the provision applies"),
    column("provision_id", _S, "the provision; its rows stand together"),
)

NODES = table(
    "nodes",
    1,
    column("node_id", _S, "provision_id, or act_id of an Act, rules or a judgment"),
    column("kind", _S, "act, rules, judgment, other, or the kind of a provision"),
    column("act_id", _S, "the Act"),
    column("number", _S, "as cited; of an Act its number of the year; empty if unknown"),
    column("title", _S, "heading of a provision, title of an Act, name of a case"),
    column("document_id", _S, "the document; empty of an Act that is named, but not indexed"),
    column("page", _I, "page on which it begins; 0 of an Act that is not indexed", "pages"),
)

EDGES = table(
    "edges",
    1,
    column("source_id", _S, "node that says it"),
    column("target_id", _S, "node of which it is said, if there is one", null=True),
    column(
        "kind",
        _S,
        "cites, part_of, derived_from, amended_by, replaced_by or conflicts; of judgments also "
        "overruled, reversed, doubted, distinguished, followed, approved or explained",
    ),
    column("words", _S, "the words that say so; empty for part_of"),
    column("named", _S, "id that the provision named has or would have; empty if it has none"),
    column("reason", _S, "why the target is not the provision named; empty if it is"),
    column("document_id", _S, "document in which the words stand"),
    column("page", _I, "page on which they stand; 0 if unknown", "pages"),
    column("offset", _I, "where they stand in texts.text; -1 if nowhere", "characters"),
)

COUNTERPARTS = table(
    "counterparts",
    1,
    column("old_id", _S, "section of an Act that was replaced"),
    column("old_number", _S, "its number"),
    column("old_heading", _S, "its heading"),
    column("new_id", _S, "section of the Act that replaced it, matched by headings and texts"),
    column("new_number", _S, "its number"),
    column("new_heading", _S, "its heading"),
    column("score", pa.float64(), "of the match"),
)

_CHANGE = pa.struct({"op": _S, "old": _S, "new": _S})

AMENDMENTS = table(
    "amendments",
    1,
    column("act_id", _S, "the Act"),
    column("old_version", _D, "version compared with", null=True),
    column("new_version", _D, "version that is looked at", null=True),
    column(
        "kind",
        _S,
        "inserted, substituted, renumbered or omitted; printing: the same law, printed differently, "
        "which is no amendment",
    ),
    column("unit", _S, "section, article, rule, entry or schedule"),
    column("number", _S, "as cited: the new number; of what is omitted the old one"),
    column("heading", _S, "its heading, the new one where there is one"),
    column("old_number", _S, "as cited in the old version", null=True),
    column(
        "moved_from",
        _S,
        "number under which nearly this text stood in the old version, where that number was "
        "given to another text",
        null=True,
    ),
    column("old_id", _S, "provision_id in the old version; null of what is inserted", null=True),
    column("new_id", _S, "provision_id in the new version; null where it prints nothing", null=True),
    column("old_document", _S, "document of the old version", null=True),
    column("new_document", _S, "document of the new version", null=True),
    column("old_page", _I, "page on which it begins in the old document, 1-based", "pages", null=True),
    column("new_page", _I, "page on which it begins in the new document, 1-based", "pages", null=True),
    column("old_hash", _S, "SHA-256 of its words in the old version", null=True),
    column("new_hash", _S, "SHA-256 of its words in the new version", null=True),
    column(
        "changes",
        pa.list_(_CHANGE),
        "word by word, in order: op is keep, delete, insert or replace; long runs that are kept "
        "are cut in the middle",
    ),
    column(
        "similarity",
        pa.float64(),
        "share of words that are kept in order, 0 to 1; 0 of what is inserted or omitted",
    ),
    column(
        "evidence",
        _S,
        "what speaks for the amendment: what the new version prints of it (notes, brackets), or an amending "
        "Act; empty if nothing",
    ),
)

_PART = pa.struct({"kind": _S, "number": _S})

INSTRUCTIONS = table(
    "instructions",
    2,
    column("instruction_id", _S, "provision that amends and a number; that of the registry's Act otherwise"),
    column("act_id", _S, "the amending Act; empty where only the registry knows of it"),
    column("document_id", _S, "its document; empty likewise"),
    column("provision_id", _S, "its section or Schedule; empty likewise"),
    column("page", _I, "page on which that begins; 0 likewise", "pages"),
    column("amended_by", _S, "the amending Act as footnotes cite it, 32 of 2019; its title if unnumbered"),
    column("enacted", _D, "its day; the last of its year if only that is known", null=True),
    column("since", _D, "first day of what it says; null where that is left to a notification", null=True),
    column("target_act", _S, "the Act that is amended, indexed or not"),
    column("target_id", _S, "its section, Article, rule or Schedule; the Act itself where none is named"),
    column("path", pa.list_(_PART), "the part that is changed, the outermost first"),
    column("place", _S, "the same as people write it: section 7, sub-section (2)"),
    column(
        "kind",
        _S,
        "substitute, insert (at the end), insert_after, insert_before, omit, renumber, words_substituted, "
        "words_inserted, words_omitted or unreadable",
    ),
    column("old", pa.list_(_S), "words that go, or behind which new ones come"),
    column("new", pa.list_(_S), "words or whole provisions that come"),
    column(
        "occurrence",
        _S,
        "all, first, second ... of the words; before or end; from: old has two ends of a portion",
    ),
    column("status", _S, "found; reviewed by a person; applied to the text"),
    column("reason", _S, "why it is not to be applied; empty if nothing speaks against it"),
    column("doubt", _S, "why what it makes may not be the law; empty likewise"),
    column("carried", _D, "first day on which the law has all that its provision does", null=True),
    added={"doubt": "", "carried": None},
)

"""Fronts as courts and reports print them: each is read by its places and labels."""

from __future__ import annotations

from datetime import date

import pytest

from citegrain.tasks.kinds.judgments.front import read_front

FRONTS = {
    "Delhi HC": """\
$~12
* IN THE HIGH COURT OF DELHI AT NEW DELHI
% Judgment reserved on: 12th March, 2021
Judgment pronounced on: 5th April, 2021
+ W.P.(C) 1234/2020 & CM APPL. 5678/2020
RAM KUMAR ..... Petitioner
Through: Mr. A. Lawyer, Advocate
versus
UNION OF INDIA & ORS. ..... Respondents
Through: Ms. B. Counsel, CGSC
CORAM:
HON'BLE MR. JUSTICE C. HARI SHANKAR
HON'BLE MS. JUSTICE REKHA PALLI
J U D G M E N T
C. HARI SHANKAR, J.
1. This petition assails the order dated 1.1.2020.""",
    "Bombay HC": """\
2021:BHC-AS:1234-DB
IN THE HIGH COURT OF JUDICATURE AT BOMBAY
CIVIL APPELLATE JURISDICTION
WRIT PETITION NO. 1234 OF 2019
Shri Ganesh Ramchandra Patil,
Age 45 years, Occ. Agriculturist,
R/o. Village Pali, Dist. Raigad ...Petitioner
Versus
1. The State of Maharashtra,
Through the Secretary, Revenue Department
2. The Collector, Raigad ...Respondents
Mr. P. Q. Advocate for the Petitioner
CORAM : R. D. DHANUKA AND
V. G. BISHT, JJ.
RESERVED ON : 2ND MARCH, 2021
PRONOUNCED ON : 19TH MARCH, 2021
JUDGMENT : (PER R. D. DHANUKA, J.)
1. Rule. Rule made returnable forthwith.""",
    "Madras HC": """\
IN THE HIGH COURT OF JUDICATURE AT MADRAS
Reserved on : 10.02.2022
Delivered on : 28.02.2022
CORAM
THE HONOURABLE MR.JUSTICE N. ANAND VENKATESH
Crl.O.P.No.1234 of 2021
and
Crl.M.P.No.567 of 2021
S. Murugan ... Petitioner
Vs.
The State rep. by
The Inspector of Police,
Chennai. ... Respondent
ORDER
This petition has been filed to quash the proceedings.""",
    "Allahabad HC": """\
Neutral Citation No. - 2023:AHC:123456
Court No. - 12
Case :- CRIMINAL APPEAL No. - 1234 of 2020
Appellant :- Ram Singh
Respondent :- State of U.P.
Counsel for Appellant :- A. B. Singh
Counsel for Respondent :- G.A.
Hon'ble Siddharth,J.
Hon'ble Vinod Diwakar,J.
1. Heard learned counsel.
Order Date :- 12.5.2023""",
    "Kerala HC": """\
2023/KER/12345
IN THE HIGH COURT OF KERALA AT ERNAKULAM
PRESENT
THE HONOURABLE MR. JUSTICE DEVAN RAMACHANDRAN
WEDNESDAY, THE 15TH DAY OF FEBRUARY 2023 / 26TH MAGHA, 1944
WP(C) NO. 1234 OF 2023
PETITIONER/S:
ANITHA K.,
AGED 40 YEARS, D/O. KUNJU
BY ADVS. X Y
RESPONDENT/S:
1 STATE OF KERALA
REPRESENTED BY ITS SECRETARY
JUDGMENT
The petitioner says""",
    "SCC": """\
(2017) 10 Supreme Court Cases 1
(BEFORE J.S. KHEHAR, C.J. AND J. CHELAMESWAR AND S.A. BOBDE, JJ.)
K.S. PUTTASWAMY AND ANOTHER .. Petitioners;
Versus
UNION OF INDIA AND OTHERS .. Respondents.
Writ Petition (C) No. 494 of 2012, decided on August 24, 2017
A. Constitution of India — Art. 21 — Right to privacy
JUDGMENT
D.Y. CHANDRACHUD, J.""",
    "AIR": """\
AIR 1978 SUPREME COURT 597
(From : Delhi)
M. H. BEG, C.J., Y. V. CHANDRACHUD AND P. N. BHAGWATI, JJ.
Mrs. Maneka Gandhi, Petitioner v. Union of India and another, Respondents.
Writ Petition No. 231 of 1977, D/- 25-1-1978.
Constitution of India, Art. 21
JUDGMENT
BHAGWATI, J.:— The petitioner""",
    "new eSCR": """\
[2024] 3 S.C.R. 123 : 2024 INSC 113
Association for Democratic Reforms & Anr.
v.
Union of India & Ors.
(Writ Petition (C) No. 880 of 2017)
15 February 2024
[Dr Dhananjaya Y Chandrachud,* CJI, Sanjiv Khanna,* B R Gavai, J B Pardiwala and Manoj Misra, JJ.]
Issue for Consideration
Whether unlimited corporate funding
Headnotes
Constitution of India""",
    "SC record order": """\
ITEM NO.12 COURT NO.3 SECTION II-A
S U P R E M E C O U R T O F I N D I A
RECORD OF PROCEEDINGS
Petition(s) for Special Leave to Appeal (Crl.) No(s). 1234/2021
RAM LAL Petitioner(s)
VERSUS
STATE OF HARYANA Respondent(s)
Date : 12-03-2021 These matters were called on for hearing today.
CORAM :
HON'BLE MR. JUSTICE SANJAY KISHAN KAUL
HON'BLE MR. JUSTICE HEMANT GUPTA
O R D E R
Leave granted.""",
    "SC non reportable": """\
NON-REPORTABLE
IN THE SUPREME COURT OF INDIA
CRIMINAL APPELLATE JURISDICTION
CRIMINAL APPEAL NO. 123 OF 2019
RAM LAL & ANR. APPELLANT(S)
VERSUS
STATE OF BIHAR RESPONDENT(S)
O R D E R
1. Leave granted.
(UDAY UMESH LALIT)
........................J.
(VINEET SARAN)
........................J.
NEW DELHI
JANUARY 12, 2019""",
    "roles first": """\
HIGH COURT OF MADHYA PRADESH, JABALPUR
M.Cr.C. No.30933/2020
Applicant ... Zarina Lamp
Versus
Respondent ... State of Madhya Pradesh through
P.S. E.O.W
Present : Atul Wick J.
ORDER
(13/05/2021) This application has been preferred""",
}

EXPECTED = {
    # case, court, bench, day, citations
    "roles first": ("Zarina Lamp v. State of Madhya Pradesh", "High Court of Madhya Pradesh", ["Atul Wick"], None, []),
    "Delhi HC": ("Ram Kumar v. Union of India & Ors.", "High Court of Delhi",
        ["C. Hari Shankar", "Rekha Palli"], date(2021, 4, 5), []),
    "Bombay HC": ("Shri Ganesh Ramchandra Patil v. The State of Maharashtra", "High Court of Judicature at Bombay",
        ["R. D. Dhanuka", "V. G. Bisht"], date(2021, 3, 19), ["2021:BHC-AS:1234-DB"]),
    "Madras HC": ("S. Murugan v. The State", "High Court of Judicature at Madras",
        ["N. Anand Venkatesh"], date(2022, 2, 28), []),
    "Allahabad HC": ("Ram Singh v. State of U.P.", "High Court of Allahabad",
        ["Siddharth", "Vinod Diwakar"], date(2023, 5, 12), ["2023:AHC:123456"]),
    "Kerala HC": ("Anitha K. v. State of Kerala", "High Court of Kerala",
        ["Devan Ramachandran"], date(2023, 2, 15), ["2023/KER/12345"]),
    "SCC": ("K.S. Puttaswamy and Another v. Union of India and Others", "Supreme Court of India",
        ["J.S. Khehar", "J. Chelameswar", "S.A. Bobde"], date(2017, 8, 24), ["(2017) 10 SCC 1"]),
    "AIR": ("Mrs. Maneka Gandhi v. Union of India and another", "Supreme Court of India",
        ["M. H. Beg", "Y. V. Chandrachud", "P. N. Bhagwati"], date(1978, 1, 25), ["AIR 1978 SUPREME COURT 597"]),
    "new eSCR": ("Association for Democratic Reforms & Anr. v. Union of India & Ors.", "Supreme Court of India",
        ["Dhananjaya Y Chandrachud", "Sanjiv Khanna", "B R Gavai", "J B Pardiwala", "Manoj Misra"], date(2024, 2, 15), ["[2024] 3 S.C.R. 123", "2024 INSC 113"]),
    "SC record order": ("Ram Lal v. State of Haryana", "Supreme Court of India",
        ["Sanjay Kishan Kaul", "Hemant Gupta"], date(2021, 3, 12), []),
    "SC non reportable": ("Ram Lal & Anr. v. State of Bihar", "Supreme Court of India",
        ["Uday Umesh Lalit", "Vineet Saran"], date(2019, 1, 12), []),
}  # fmt: skip


@pytest.mark.parametrize("name", FRONTS)
def test_a_front_says_case_court_bench_day_and_citations(name: str) -> None:
    rows = FRONTS[name].split("\n")
    front = read_front(rows, rows[-30:], " ".join(rows))
    assert front is not None
    read = (front.case_name, front.court, list(front.bench), front.date, list(front.citations))
    assert read == EXPECTED[name]


@pytest.mark.parametrize(
    "text",
    [
        "THE GAZETTE OF INDIA\nTHE LANTERN KEEPERS ACT, 2011\nACT NO. 17 OF 2011\nBE it enacted by Parliament as follows:—",
        "AGREEMENT FOR SALE\nBETWEEN\nA. Promoter\nAND\nB. Allottee\nORDER of payment",
        "CIRCULAR No. 12 of 2020\nSubject: The judgment in Lamp v. Wick on 3 March, 2020 is to be followed.",
    ],
)
def test_other_documents_are_no_judgments(text: str) -> None:
    rows = text.split("\n")
    assert read_front(rows, rows, text) is None

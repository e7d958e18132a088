"""The day of an incident in complaints of our own, most of them with more dates than one.

``DEVELOPED`` stood in sight while the rules were made. The day asked is 22 November 2026, a Sunday.
"""

from __future__ import annotations

from datetime import date

import pytest

from tasks.asof import find_incident

ASKED = date(2026, 11, 22)
CHANGES = [date(2024, 7, 1), date(2025, 11, 21)]

# the right day, or - where the words leave it open, then the complaint
DEVELOPED = """
2024-06-18 On 18 June 2024 my neighbour stole about 2000 rupees from my purse.
2024-06-18 On 18 June 2024 he cheated me in 2000 rupees and ran away.
2025-03-09 A man duped us of around 1950 rupees on 9 March 2025 at the fair.
2024-08-12 My agent sold from 2000 shares of mine without asking on 12 August 2024.
2025-01-06 He collected money in 2000 villages and fled on 6 January 2025.
2024-06-20 He beat me on 20 June 2024. He was arrested on 10 July 2024.
2024-06-20 The accused was arrested on 10 July 2024 for beating me on 20 June 2024.
2024-06-20 On 20 June 2024 my husband thrashed me with a belt. He was released on 12 July 2024 and is back home.
2024-06-22 They attacked my brother on 22 June 2024 with lathis. We went to the police station on 3 July 2024.
2024-06-22 They attacked my brother on 22 June 2024. Police came on 3 July 2024 only.
2024-06-25 A boy of our street molested my daughter on 25.06.2024; she gave statement under 161 on 02.07.2024.
2024-05-30 My in-laws threw me out of the house on 30 May 2024. I went to the women's cell on 4 July 2024.
2024-06-29 He assaulted me on 29.06.2024. Medical was done on 01.07.2024 at the civil hospital.
2024-06-28 Two men hit my son with an iron rod on 28 June 2024, the doctor examined him on 1 July 2024 and X-ray was on 02.07.2024.
2024-06-21 He stabbed my cousin on 21 June 2024 and my cousin was in the hospital from 21 June to 5 July 2024.
2024-06-27 A truck ran over my father on 27.06.2024. My father expired on 03.07.2024.
2024-06-27 My mother was hit by a speeding bus on 27 June 2024. She passed away on 2 July 2024 in the ICU.
2024-06-26 They set my sister on fire on 26 June 2024 and she succumbed on 04.07.2024.
2024-06-24 My nephew was kidnapped on 24 June 2024. His body was found on 02.07.2024 in a canal.
2024-06-30 Rs 85,000 was debited by fraud from my account on 30 June 2024. I called 1930 on 1 July 2024 and blocked my card on 2 July 2024.
2024-06-12 Somebody withdrew 40,000 by cloning my card on 12.06.2024, the bank refused to refund on 15.07.2024.
2024-06-28 My shop was burgled on 28 June 2024. I informed the insurance company on 5 July 2024.
2024-06-19 Goons of the builder threatened us on 19 June 2024. I wrote to the SP on 8 July 2024 and sent email to the SP again on 11 July 2024.
2024-06-19 The sarpanch's men assaulted us on 19.06.2024, SP office was approached on 04.07.2024 and the magistrate took cognizance on 20.08.2024.
2024-06-10 My uncle encroached on our field on 10 June 2024. A panchayat was held on 7 July 2024 but he did not listen.
2024-05-25 A boy from college raped me on 25 May 2024 and on 20.08.2024 I found that I am pregnant.
2024-02-01 In Feb 2024 he cheated me of five lakh. He returned Rs 1 lakh on 10.07.2024.
2024-06-03 My car was stolen on 3 June 2024. Yesterday the police closed the case.
2024-06-03 Scratches were made on my car on 3 June 2024 by vandals, two days ago I saw it on the CCTV.
2024-04-14 My partner forged my signature on 14 April 2024; I got to know yesterday.
2024-06-11 The chain of my wife was snatched on 11 June 2024. I reside here since 5 July 2024.
2024-06-11 My earlier landlord locked me out on 11 June 2024. I am tenant in the new place since 1 August 2024.
2024-06-16 He robbed me at Kanpur on 16 June 2024. I came to Delhi on 10 July 2024.
2024-06-05 The clerk took a bribe from me on 5 June 2024. His retirement was on 31 July 2024.
2024-06-05 My purse was stolen in the local train on 5 June 2024 and my salary came on 31 July 2024.
2024-06-12 Bank statement from 01.04.2024 to 31.07.2024 enclosed. Fraud was on 12.06.2024.
2024-08-01 My motorcycle, which I had bought on 10 January 2023, was stolen in August 2024.
2024-05-01 They demanded dowry in May 2024. Our marriage was solemnised on 5 November 2021.
2024-07-08 I had taken a loan on 2 February 2024. Recovery agents abused my wife on 8 July 2024.
2025-02-14 The refrigerator purchased by me on 14 February 2025 is defective and does not cool.
2025-02-14 I bought a mixer on 14 February 2025 for 4,500. It never worked. I sent a notice to the shop on 20 March 2025.
2024-06-25 FIR registered on 3rd July 2024 for the incident dated 25th June 2024 at our shop.
2024-06-28 I made a complaint at Saket on 1.7.2024 regarding snatching which happened on 28.6.2024.
2024-06-28 Date: 05/07/2024. To the SHO. Respected sir, on 28/06/2024 my cycle was stolen from the stand.
2024-06-28 Sir, my scooty was taken from the parking on 28/06/2024. Kindly trace. Yours faithfully, Ramesh. Date: 05/07/2024
2024-05-15 Today, 22 November 2026, I state that on 15 May 2024 the respondent entered my house.
2024-06-11 On my birthday, 11 June 2024, he threw acid on me.
2024-06-11 At a birthday party on 11 June 2024 his friend touched me wrongly.
2024-06-11 My niece (DOB 14/02/2010) was molested on 11/06/2024 by the tuition teacher.
2024-06-11 My niece born on 14/02/2010 was molested on 11/06/2024 by the tuition teacher.
2023-01-01 In 2023 he grabbed my land by forgery. I lodged the FIR on 5 July 2024.
2024-06-25 On 25 June he abused me by caste in front of all. The FIR dated 2 July 2024 does not say so.
2024-06-12 It was on 12 June in the year 2024 that the tanker hit our wall.
2024-06-12 On 12th June of saal 2024 he took away my buffalo.
2025-06-12 On June 12th of last year my landlord cut the water.
2024-06-01 In June 24 my landlord cut the water line.
2024-06-01 Two years ago in June the contractor ran off with the advance.
2024-07-01 In the intervening night of 30th June and 1st July 2024 thieves broke the lock.
2024-06-15 The theft took place on 15/Jun/2024.
2024-06-15 Incident date 2024/06/15, place Ghaziabad.
2024-06-30 In the night of 29/30.06.2024 somebody broke into our godown.
2024-06-30 On 29-30 June 2024 they cut my trees.
2024-06-12 On 12–06–2024 the teacher caned my son.
2024-06-12 DATE OF OCCURRENCE 12 06 2024 NEAR BUS STAND
2026-11-07 Fifteen days ago a man pushed me from the bus.
2025-05-22 One and a half years ago he took my gold and never came back.
2026-11-20 On Friday last my tenant slapped me.
2025-06-25 On 25th June last year the dentist pulled out the wrong tooth.
2025-06-12 He slapped me on 12 June last year in the canteen.
2026-10-25 On 25th of last month my phone was snatched.
2026-11-05 On the 5th of this month he abused me.
2024-06-12 On 12th june'2024 he came drunk and beat me.
2026-09-01 Last to last month the shopkeeper cheated me.
2024-09-03 I live at House No. 12-5-24, Nalgonda. On 3 September 2024 he broke my gate.
2024-09-03 My flat is no 3/4/22 in sector 9. On 3 September 2024 they cut our cable.
- I run an NGO, Regd. No. 12-3-2020. They harass us every day.
- Booked under Section 12/5/24 of some Act, I am innocent.
2024-07-05 He slapped me on 20 June 2024 and again on 5 July 2024.
2024-03-02 I booked a flat in 2018 by agreement dated 4 May 2018. On 2 March 2024 the builder's men threatened to kill me if I ask for possession.
2025-09-17 I have been working as a maid in Gurgaon since 2 January 2024. On 17 September 2025 madam hit me with a pan. I have reported to the union on 19 September 2025.
2024-05-06 Myself Sunita, w/o Rajesh. Marriage was held on 12.02.2019. On 06.05.2024 my mother-in-law poured kerosene upon me. I was admitted in hospital till 15.07.2024.
2025-12-02 Company terminated me on 2 December 2025 without notice though I joined on 4 April 2022.
2024-08-19 My employer did not pay wages of three months; on 19 August 2024 when I asked he assaulted me. Labour officer's notice is dated 3 October 2024.
2024-06-29 Cheque dated 15 May 2024 bounced on 29 June 2024 and I sent legal notice on 10 July 2024.
2023-11-20 My brother got the sale deed executed by fraud on 20 November 2023, mutation application was filed on 5 August 2024.
2024-04-09 On the 9th of April, 2024, at about 8.30 p.m. two unknown persons on a Pulsar snatched my mangalsutra. The police did not write FIR till 6 July 2024.
2025-04-03 My husband died in 2020. On 3 April 2025 my brother-in-law broke open my almirah and took the papers.
2024-06-23 The hotel boy made a video of me on 23 June 2024. On 9 July 2024 I came to know and on 10 July 2024 I complained to the cyber cell.
2024-06-06 I met with an accident on 6 June 2024; the surgery was done on 4 July 2024 and the claim was lodged on 9 July 2024.
2024-06-14 A stray cow of the dairy gored my aunt on 14.6.24, she died on 2.7.24.
2024-03-26 On 26 March 2024, which was the day after Holi, he forced me. I told my mother on 3 July 2024 and next day she took me to the thana.
2025-08-15 On 15 August 2025 the dog of our neighbour bit my son, injections were given up to 12 September 2025.
2024-06-02 Chargesheet was filed on 30 September 2024 against my son for the murder that took place on 2 June 2024.
2024-06-08 As per FIR No. 0234 dated 12.07.2024 the accused entered the house on 08.06.2024 and outraged my modesty.
2022-10-05 In October 2022, on Dussehra, 5 October 2022, they burnt our hut. Case is still pending since 2023.
2025-05-18 I purchased a plot on 3 March 2021. On 18 May 2025 the neighbour's people demolished my boundary wall.
2024-01-26 He promised marriage and made relations with me, the last time on 26 January 2024. He married another girl on 8 July 2024.
2024-06-17 My minor son was beaten in school on 17 June 2024 for not doing homework. The principal gave a written apology on 3 July 2024.
2024-05-28 My gold was pledged on 10 January 2023. On 28 May 2024 the finance company auctioned it without telling me. They replied to my letter on 6 July 2024.
2025-06-30 They disconnected my electricity on 30 June 2025 although the bill was paid on 12 June 2025.
2024-10-10 The tenant, who came in on 1 June 2023, damaged the flat on 10 October 2024.
2026-11-21 Last night some boys pelted stones on our house. The quarrel is old, in 2022 also they had fought.
2026-11-15 Last Sunday a man followed me from the metro. He had got my number in March.
2026-08-22 Three months ago my wife left with the jewellery.
2025-11-03 My PF was not deposited. On 3 November 2025 the manager tore my joining letter and threw it on my face.
2024-06-13 I parked my bike outside the bank on 13 June 2024 and when I came out it was gone. The insurance company rejected the claim on 23 August 2024.
2024-06-07 On 7 June 2024 I ordered a phone online and got a soap in the box. The seller refused refund on 3 July 2024.
2024-06-21 The fight happened on 21/6/2024, discharge from hospital 1/7/2024.
2024-06-21 Discharged on 1/7/2024 after being stabbed on 21/6/2024.
2024-04-30 A caller posing as CBI digital-arrested my mother on 30 April 2024 and took 12 lakh. The money trail was given by bank on 18 July 2024.
2024-06-15 He has been blackmailing me from 3 March 2024 to 15 June 2024 with my photos.
2024-06-04 On counting day, 4 June 2024, they beat our polling agent. Their bail was cancelled on 2 August 2024.
2021-05-01 During lockdown in May 2021 the hospital took 2 lakh extra from us.
2019-01-01 In 2019 my brother forged the will of our father. The probate court's order came on 11 September 2024.
2024-06-26 As I was returning from the office on 26.06.2024 an auto driver misbehaved with me. I tweeted about it to the police on 01.07.2024.
2025-07-19 Kanwariyas broke the windscreen of my car on 19 July 2025. I got the car repaired on 28 July 2025.
2024-05-17 My daughter was missing from 17 May 2024. The police traced her on 5 July 2024 and produced her before the CWC.
2024-06-09 A quack gave my wife a wrong injection on 9 June 2024. Her condition became bad and on 3 July 2024 she was shifted to AIIMS.
2024-02-19 I gave 3 lakh on 19 February 2024 to an agent for a job in Dubai; he gave a fake visa. FIR no. 77/2024 was lodged on 08/07/2024.
2024-06-01 In the month of June 2024 my nephew sold my tractor behind my back. I sent him a legal notice on 14 July 2024.
2025-10-20 On the night of Diwali, 20 October 2025, their rocket burnt my stall. The tehsildar made a report on 23 October 2025.
2024-08-05 The sub-inspector slapped me in lock-up on 5 August 2024. I was released on bail on 9 August 2024.
2024-06-18 My mobile got lost? No, it was pickpocketed on 18.06.2024. I took the duplicate SIM on 1.7.2024.
2024-04-21 The marriage of my sister was on 21 April 2024 and in that very function he fired a gun and hurt my cousin.
2025-03-01 Since March 2025 my landlord has been peeping in my bathroom. Agreement is from 1 December 2024.
2024-06-24 sir mera phone chori hua 24 june 2024 ko, maine 2 july 2024 ko complaint diya
"""

# of the year that a time without one takes, and of what is left open or told with a doubt
CASES = [
    (line[:10], line[11:]) if line[0] == "2" else (None, line[2:]) for line in DEVELOPED.split("\n")[1:-1]
]


@pytest.mark.parametrize(("day", "text"), CASES)
def test_complaints_in_sight_of_the_rules(day: str | None, text: str) -> None:
    found = find_incident(text, ASKED, CHANGES)
    assert (found.day.isoformat() if found.day else None) == day

"""Which language a question is in, by its script and its commonest words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from citegrain.tasks.core.script import devanagari_share
from citegrain.tasks.online.estimate import HINDI_WORDS

ENGLISH, HINDI, HINGLISH = "English", "Hindi", "Hinglish"
_INDIAN = {
    "Bengali": "Bengali or Assamese", "Gurmukhi": "Punjabi", "Gujarati": "Gujarati", "Oriya": "Odia",
    "Tamil": "Tamil", "Telugu": "Telugu", "Kannada": "Kannada", "Malayalam": "Malayalam", "Arabic": "Urdu",
}  # fmt: skip
"""Language by the script that it alone, or nearly so, is written in."""
_MORE_WORDS = """
    likh likha likhna likho mai jaunga jaungi jayega jayegi jaega pade padega padegi padta mat
    galat dobara lagta lagti lagte lagega lagegi lagenge karwau karwana karwaya karana karaye milega
    milegi milta milti milte wahan yahan kanoon shikayat zyada bahut bohot accha acha achha lekar dekar
    jaana banta banti sabse kisne kaunse paas liye hume unhe inhe isme usme rahte rehte rehta bata bataye
    batana jaldi logon nai nahee nhin rha rhi rhe rkha rkhi gai gaee gae gya gyi gye kr kro kru krna krne
    krta krti krte krke krwa karo kare karega karegi karenge karunga karungi skta skte skti sake kon konsa
    konsi kounsa kidhar kese kesi kaisa kaisi kiska kiski kiske kisko kitna kyaa kyo huaa huye huyi hoge
    honge bhut bht bhot bahot aap aapka aapki aapke tum tumhara tumhari tera teri tere tujhe mujhse mujhko
    mjhe mje muje mereko unse usse isse inse inka inki unhone isko jisko jiska jiski jiske jisne jab tab
    abhi kabhi agr yaar bhai dia lia kia lena leni dene deni dedo dega degi denge lega legi lenge jana
    aaya aayi aaye aata aati aate aana aane aayega chahta chahti chahte chahie chaiye bolta bolti bolte
    bol boli btao bataiye batado batau koyi har sirf vala vali wala waale saath sath baare waise aise aisi
    aisa jaisa jaise taki taaki kyuki varna warna phle nikal nikala nikale rakh rakhna rakhi rakhe daal
    daala daali chala chali lag laga lagi rupay rupaye hazar hajar mahina mahine raat gaon gaanv bhaiya
    didi chacha ladka ladki larka larki aadmi aurat bacha bacche bachche bachcha biwi sasural saas naukri
    paiso zamin jamin makan makaan dukan dukaan thana thane talak talaq jamanat zamanat saza saja jurmana
    sunao chahiye lekin pita maa baap mera hoon yeh khana khaana pani paani ghar kaam kam dost padosi
    malik maalik beti shadi muavja muawza gaadi gadi mara maara marta pakda pakad
"""
_HINDI = HINDI_WORDS.union(_MORE_WORDS.split())
"""Words that show a question to be Hindi in Latin letters: more than those that estimates learned with."""
_DEVANAGARI = {
    "Marathi": "आहे आहेत माझा माझी माझे माझ्या मला आणि पाहिजे झाला झाली केला केली नाही होते मध्ये काय त्याने",
    "Nepali": "छ छन् मेरो मलाई गर्न गरेको भयो छैन हुन्छ भने लाई",
}
"""Words of other languages in the same script that Hindi has not."""
_MOSTLY, _SHARE, _LEAST = 0.4, 0.2, 2
"""Share of the letters that are Devanagari; share and number of a question's words that are Hindi."""


def language_of(text: str) -> str:
    """``English``, ``Hindi``, ``Hinglish`` (Hindi in Latin letters), or a language of another script.

    What is in no script that is known here counts as English, and is judged as such.
    """
    if devanagari_share(text) > _MOSTLY:
        words = text.split()
        shares = {name: sum(word in known.split() for word in words) for name, known in _DEVANAGARI.items()}
        most = max(shares, key=lambda name: shares[name])
        return most if shares[most] >= _LEAST and shares[most] > _SHARE * len(words) else HINDI
    if not text.isascii():
        scripts = Counter(unicodedata.name(c, "").split(" ")[0].title() for c in text if c.isalpha())
        for script, n in scripts.most_common(1):
            if script in _INDIAN and 2 * n > scripts.total():
                return _INDIAN[script]
    words = re.findall(r"[a-z]+", text.lower())
    hindi = [word for word in words if word in _HINDI]
    enough = len(set(hindi)) >= min(_LEAST, len(words)) and len(hindi) > _SHARE * len(words)
    return HINGLISH if enough else ENGLISH

"""Sentences in many scripts, and what goes wrong with them: the texts of fuzz_evaluation.py."""

WORDS = {
    "english": "the a man woman dog cat house red green don't isn't well-known e-mail U.S. Mr. runs walks over under quickly "
               "said that it's 7-year-old state-of-the-art I'm they've".split(),
    "german": "der die das Straße groß Grüße Übung ähnlich Öl fährt läuft heißt schön GROSSE ẞ Maß".split(),
    "french": "l'été où c'est déjà œuvre garçon naïve Noël qu'il aujourd'hui à côté « »".split(),
    "turkish": "İstanbul ılık IŞIK ışık iğne İĞNE diyarbakır çiçek ŞEKER şeker".split(),
    "polish": "źdźbło żółć łódź Łódź ćma Święto gęś".split(),
    "vietnamese": "tiếng Việt người đường nước Được ĐƯỢC một hai".split(),
    "russian": "дом мир человек Собака бежит быстро Ёлка ёж 5-й объект СССР".split(),
    "greek": "ο λόγος ΛΟΓΟΣ κόσμος Σίσυφος ΣΊΣΥΦΟΣ ὀδός άνθρωπος ΐ".split(),
    "arabic": "رجل يركب دراجة الشارع كتاب، مدرسة؟ ٣٫٥ ١٢٣ السَّلَامُ".split(),
    "hebrew": 'איש רוכב אופניים צה"ל שָׁלוֹם בית־ספר ילד'.split(),
    "hindi": "आदमी सड़क पर चल रहा है। किताब १.५ क्षेत्र ज़मीन दुनिया॥".split(),
    "thai": "ผู้ชาย ขี่จักรยาน บนถนน สวัสดี ๑๒๓ ฿50 กำลัง".split(),
    "chinese": "一个 男人 在 街上 骑 自行车 。 ， 「 」 《 》 ２０２４ 苹果 買 書 𠀀𠮷 你好，世界！ 3.5公斤 OK！".split(),
    "japanese": "男の人 が 自転車 に 乗って いる 。 、 カタカナ ﾊﾝｶｸ ひらがな 東京 ー ・ ※ ＡＢＣ".split(),
    "korean": "남자가 자전거를 타고 있다. 서울 한국어 ㄱㄴㄷ 한 3.5점 , ！".split(),
    "emoji": "👍 👩‍👩‍👧 🇩🇪 ❤️ 😀😀 👍🏽 ☃ ™ © ½ ² ⅷ ① № €5 £3.20 ¥100 ±2".split(),
    "combining": ["e\u0301", "o\u0308", "A\u030a", "\u0301", "n\u0303o", "i\u0307", "\u1100\u1161", "\u0915\u093c",
                  "z\u0335\u0321", "\u200da", "x\u20e3", "\ufe0f"],
    "numbers": "3.14 1,000,000.00 5. .5 -5 10-12 1990- 12:30 $5.00 50% #1 1/2 24/7 1.a a.1 1,a 2.0.1-beta 007 1e5 ٣.٥ ½".split(),
    "entities": "&quot; &amp; &lt; &gt; &amp;quot; &amp;amp; &apos; &#39; &nbsp; <skipped> AT&T a<b b>c <br/> &".split(),
    "marks": '. , ; : ! ? … - – — _ ( ) [ ] { } < > " \' ` “ ” „ ’ ‘ / \\ | @ # $ % ^ & * + = ~ 。 、 ， ！ ？ （ ） ؟ ، ; · ¿ ¡ '
             '\u2010 \u2212 \uff0e \uff65 \u30fb \u00ad'.split(" "),
    "control": ["a\x1cb", "\x1d", "x\x1ey", "\x1f", "\x85", "\x0b", "\x0c", "\x07", "\x1b[31m", "\x7f", "\u200b",
                "\u2028", "\u2029", "\ufeff", "\u180e", "\ufffd", "\ufffe", "a\rb", "\u202e", "\t"],
    "rare": ["\U0001d400\U0001d401", "\U0001f100", "\u0130", "\u1e9e", "\u03f4", "\ua64a", "\U00010400", "\u2126",
             "\u212a", "\u01c5", "\u10a0", "\u13a0", "\u2160", "\u24b6", "\uff21", "\u1f88", "\u2af6", "\ua7b0",
             "\U000e0041", "\ue000", "\u0378", "\U0010ffff", "\u2e80", "\u31f0", "\u3105", "\ua960", "\U0002f800"],
}
SCRIPTS = list(WORDS)
SPACES = [" "] * 40 + ["  ", "\u00a0", "\u3000", "\t", "\u2009", "\u2003", "\u1680", "\x1c", "\u2028", "   "]
ENDS = [".", ".", ".", " .", "!", "?", "", "", "。", "؟", "।", "...", "…", '."', ".”", "-"]
PLANES = [(0x20, 0x7e), (0xa0, 0x24f), (0x250, 0x5ff), (0x600, 0x109f), (0x10a0, 0x1fff), (0x2000, 0x2bff),
          (0x2c00, 0x33ff), (0x4e00, 0x9fff), (0xa000, 0xd7ff), (0xf900, 0xfffd), (0x10000, 0x1ffff),
          (0x20000, 0x2fa1f)]


def word(random, script):
    pool = WORDS[script] if random.random() < 0.9 else WORDS[random.choice(SCRIPTS)]
    return random.choice(pool)


def sentence(random):
    """One that looks real: words of a script, now and then of another, with punctuation."""
    if random.random() < 0.02:
        return random.choice(["", " ", ".", "a", "\u3000", "yes", "。", "-"])
    script = random.choice(SCRIPTS)
    words = []
    for _ in range(min(60, 1 + int(random.expovariate(1 / 9)))):
        token = word(random, script)
        if random.random() < 0.12:
            token += random.choice([",", ";", ":", "、", "،", "-", ")", '"', "'s", "."])
        if random.random() < 0.05:
            token = random.choice(["(", '"', "„", "«", "-", "$", "'"]) + token
        words.append(token)
    text = words[0]
    for token in words[1:]:
        text += ("" if script in ("chinese", "japanese", "thai") and random.random() < 0.8 else random.choice(SPACES))
        text += token
    return text + random.choice(ENDS)


def noise(random):
    """Code points of anywhere, with blanks between them."""
    text = ""
    for _ in range(int(random.expovariate(1 / 15))):
        first, last = random.choice(PLANES)
        text += chr(random.randint(first, last)) if random.random() < 0.8 else random.choice(SPACES)
    return text


def change_case(random, text):
    return random.choice([str.upper, str.lower, str.title, str.swapcase, str.casefold])(text)


def mutate_words(random, words):
    at = random.randrange(len(words))
    kind = random.randrange(8)
    if kind == 0:
        del words[at]
    elif kind == 1:
        words.insert(at, word(random, random.choice(SCRIPTS)))
    elif kind == 2:
        words[at] = word(random, random.choice(SCRIPTS))
    elif kind == 3:  # a block goes elsewhere
        block = words[at:at + random.randint(1, 6)]
        del words[at:at + len(block)]
        to = random.randint(0, len(words))
        words[to:to] = block
    elif kind == 4:
        words[at:at] = words[at:at + random.randint(1, 4)] * random.randint(1, 2)
    elif kind == 5:
        words[at] = change_case(random, words[at])
    elif kind == 6:
        other = random.randrange(len(words))
        words[at], words[other] = words[other], words[at]
    else:
        words[at] += random.choice(WORDS["marks"])


def mutate_characters(random, text):
    at = random.randrange(len(text))
    kind = random.randrange(7)
    if kind == 0:
        return text[:at] + text[at + 1:]
    if kind == 1:
        return text[:at] + random.choice(random.choice(WORDS[random.choice(SCRIPTS)]) or " ") + text[at:]
    if kind == 2:
        return text[:at] + random.choice(SPACES) + text[at:]
    if kind == 3:
        return text[:at] + random.choice(WORDS["marks"] + WORDS["combining"] + WORDS["entities"]) + text[at:]
    if kind == 4:
        return text[:at] + change_case(random, text[at:at + 5]) + text[at + 5:]
    if kind == 5:
        return text[:at] + str(random.randint(0, 1200)) + random.choice([".", ",", "", "-"]) + text[at:]
    return text[:at]


def mutation(random, text):
    """What another translator might have said, more or less."""
    for _ in range(random.choice([0, 1, 1, 2, 2, 3, 4, 6, 10])):
        words = text.split(" ")
        if random.random() < 0.75 and words:
            mutate_words(random, words)
            text = " ".join(words)
        elif text:
            text = mutate_characters(random, text)
    return text


def plain(text):
    """As a line of a file holds it: one line, no NUL, no surrogates, no white space at its end."""
    text = "".join(c for c in text if c not in "\n\0" and not 0xd800 <= ord(c) < 0xe000)
    return text.rstrip()

"""Writes evaluation_pairs.json: translations beside their references, in many scripts, that the golden figures of BLEU,
chrF and TER are made of. Run: python3 tests/golden/evaluation_pairs.py

Each pair: group, hypothesis, references (null where a line lacks one). The second half is mutations of the first."""

import json
import pathlib
import random

WRITTEN = {
    "english": [
        ("A man in a red hat is riding a bicycle.", ["A man wearing a red hat rides a bicycle.", "A man with a red hat is cycling."]),
        ("The quick brown fox jumps over the lazy dog.", ["The quick brown fox jumps over the lazy dog."]),
        ("the quick Brown fox JUMPS over the lazy dog", ["The quick brown fox jumps over the lazy dog."]),
        ("Two dogs are playing in the deep snow , and one barks .", ["Two dogs play in deep snow, and one of them barks."]),
        ("She said: \"I don't know\", and left.", ["She said, \"I do not know,\" and then left.", None]),
        ("It's a well-known, tried-and-tested recipe; isn't it?", ["It is a well-known and tried-and-tested recipe, isn't it?"]),
        ("In the kitchen a woman cooks soup for her three children.", ["A woman cooks soup in the kitchen for her three children.", "For her three children a woman in the kitchen cooks soup."]),
        ("the the the the the the the", ["The cat is on the mat.", "There is a cat on the mat."]),
        ("one two three four five six seven eight nine ten", ["six seven eight nine ten one two three four five"]),
        ("a b c d e f g h i j k l m n o p", ["i j k l a b c d m n o p e f g h"]),
        ("He does not, however, agree...", ["However, he doesn't agree…"]),
        ("U.S.A. vs. U.K. -- a match at 8 p.m.", ["USA vs UK - a match at 8pm"]),
        ("yes", ["yes"]), ("yes", ["no"]), ("no way", ["No way!"]),
        ("I saw it with my own eyes!!!", ["I saw it with my own eyes!", None, "With my own eyes I saw it."]),
    ],
    "german": [
        ("Ein Mann mit einem Hut fährt Fahrrad.", ["Ein Mann mit Hut fährt auf einem Fahrrad."]),
        ("Zwei Hunde spielen im Schnee, während es schneit.", ["Während es schneit, spielen zwei Hunde im tiefen Schnee."]),
        ("Die Straße ist groß und heißt „Große Straße“.", ["DIE STRASSE IST GROSS UND HEISST „GROSSE STRASSE“.", "Die STRAẞE heißt so."]),
        ("Er sagte: »Guten Tag« – und ging…", ["Er sagte „Guten Tag“ und ging ..."]),
        ("Donaudampfschifffahrtsgesellschaftskapitän", ["Donaudampfschiffahrtsgesellschaftskapitäne"]),
    ],
    "french": [
        ("C'est l'été, n'est-ce pas ?", ["C’est bien l’été, n’est-ce pas ?"]),
        ("L’École « Jean-Jacques » ouvre à 8 h 30 !", ["L'école « Jean-Jacques » ouvre à 8h30 !", "l'école ouvre à 8 h 30"]),
        ("Où est-il né ? À Noël, à Noyon.", ["Où est-il né? A Noyon, à Noël."]),
    ],
    "spanish and portuguese": [
        ("¿Qué pasa? ¡Nada! 1.234,56 €", ["¿Qué ocurre? ¡Nada! 1.234,56€"]),
        ("El niño pequeño comió una piña en la montaña.", ["El pequeño niño se comió una piña en la montaña."]),
        ("A construção não começou às 10h.", ["A construção ainda não começou às 10 h."]),
    ],
    "other latin": [
        ("Vaikka sataa, lähdemme kävelylle.", ["Lähdemme kävelylle, vaikka sataa."]),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", ["Žluťoučký kůň příliš úpěl ďábelské ódy."]),
        ("Zażółć gęślą jaźń, proszę!", ["ZAŻÓŁĆ GĘŚLĄ JAŹŃ!"]),
        ("Pijamalı hasta yağız şoföre çabucak güvendi.", ["PİJAMALI HASTA YAĞIZ ŞOFÖRE ÇABUCAK GÜVENDİ.", "İstanbul'da ISPARTA ıssız"]),
        ("Chị ấy đang đọc một quyển sách mới ở thư viện.", ["Chị ấy đọc một cuốn sách mới trong thư viện."]),
        ("Árvíztűrő tükörfúrógép", ["árvíztűrő tükör fúrógép"]),
        ("Hún á þrjár æðislegar kýr.", ["Hún á ÞRJÁR ÆÐISLEGAR kýr."]),
        ("DŽungla, Ljiljan, ǅep, ǈubav i ǋegoš", ["džungla, ljiljan, ǆep, ǉubav i ǌegoš"]),
    ],
    "cyrillic": [
        ("Двое людей идут по улице.", ["Два человека идут по улице.", "По улице идут два человека."]),
        ("Привет, мир. Как дела? 5-й этаж.", ["ПРИВЕТ, МИР! Как твои дела? 5 этаж."]),
        ("Хлопчик читає книжку під деревом — і їсть яблуко.", ["Під деревом хлопчик читає книжку й їсть яблуко."]),
        ("Ѓорѓи и Љубица пијат ќумур?", ["Ѓорѓи и Љубица не пијат."]),
        ("Ёжик в тумане № 7", ["Ежик в тумане №7"]),
    ],
    "greek": [
        ("Γειά σου, Κόσμε. Τι κάνεις;", ["Γεια σου κόσμε, τι κάνεις;"]),
        ("ΟΔΥΣΣΕΥΣ ΚΑΙ ΠΗΝΕΛΟΠΗΣ. ΣΑΣ Σ ΑΣ'Α ΑΣ' Σ.", ["Οδυσσεύς και Πηνελόπης. σας σ ασ'α ας' σ."]),
        ("Ο ΣΊΣΥΦΟΣ, ΛΌΓΟΣ· ΑΣ\u0301 ΑΣ\u00ad ΑΣ:Σ", ["Ο Σίσυφος, λόγος·"]),
        ("Ἐν ἀρχῇ ἦν ὁ λόγος, ᾼ ῼ ᾈ", ["ἘΝ ἈΡΧΗΙ ἮΝ Ὁ ΛΌΓΟΣ, ᾳ ῳ ᾀ"]),
    ],
    "armenian and georgian": [
        ("Բարեւ, աշխարհ։ Ինչպե՞ս ես։", ["ԲԱՐԵՒ, ԱՇԽԱՐՀ։ Ինչպես ես"]),
        ("გამარჯობა, მსოფლიო! როგორ ხარ?", ["ᲒᲐᲛᲐᲠᲯᲝᲑᲐ მსოფლიო, როგორ ხარ?"]),
        ("ႠႡႢ Ꭰꭰ Ᏸᏸ", ["ⴀⴁⴂ ꭰꭰ ᏸᏸ"]),
    ],
    "arabic": [
        ("رجل يركب دراجة في الشارع .", ["رجل يركب دراجته في الشارع.", "في الشارع رجل يركب دراجة."]),
        ("مرحبا، بالعالم. ٣.٥ و 3,5؟", ["مرحبًا بالعالم، ٣٫٥ و ٣٬٥؟"]),
        ("ذهبَ الولدُ إلى المدرسةِ صباحًا؛ ثم عاد.", ["ذهب الولد إلى المدرسة صباحا ثم عاد"]),
        ("او در سال ۲۰۲۴ به تهران می\u200cرود.", ["او در سال ۲۰۲۴ به تهران میرود."]),
        ("ﷺ ﻻ ﷼ ۝ ؀٥", ["صلى الله عليه وسلم لا"]),
    ],
    "hebrew": [
        ("שלום, עולם! צה\"ל 5.", ["שלום עולם, צה״ל 5."]),
        ("הילד קורא ספר מתחת לעץ־התפוח.", ["מתחת לעץ התפוח קורא הילד ספר."]),
        ("בְּרֵאשִׁית בָּרָא", ["בראשית ברא"]),
    ],
    "indic": [
        ("एक आदमी सड़क पर चल रहा है।", ["एक आदमी सड़क पर दौड़ रहा है।", "सड़क पर एक आदमी चल रहा है॥"]),
        ("नमस्ते, दुनिया। १.५ और 1.5 है.", ["नमस्ते दुनिया। १.५ और 1,5 है।"]),
        ("ছেলেটি বাড়িতে ভাত খাচ্ছে।", ["ছেলেটি বাড়িতে ভাত খায়।"]),
        ("வணக்கம் உலகம், எப்படி இருக்கிறாய்?", ["உலகம் வணக்கம்! எப்படி?"]),
        ("తెలుగు భాష ౧౨౩", ["తెలుగు భాష 123"]),
        ("ਸਤਿ ਸ੍ਰੀ ਅਕਾਲ ੴ", ["ਸਤਿ ਸ੍ਰੀ ਅਕਾਲ"]),
        ("සුභ උදෑසනක්!", ["සුභ උදෑසනක් !"]),
    ],
    "thai and neighbors": [
        ("สวัสดีชาวโลก, 1.5 กิโล.", ["สวัสดีชาวโลก 1.5 กิโลกรัม"]),
        ("เด็กผู้ชายกำลังอ่านหนังสือใต้ต้นไม้ ฿๕๐ ฯลฯ", ["เด็กชายอ่านหนังสืออยู่ใต้ต้นไม้ ฿50 ฯลฯ"]),
        ("ສະບາຍດີ ໑໒໓", ["ສະບາຍດີ 123"]),
        ("မင်္ဂလာပါ။ ဘယ်လိုလဲ၊", ["မင်္ဂလာပါ"]),
        ("សួស្តី​ពិភពលោក។", ["សួស្តី ពិភពលោក ។"]),
        ("བོད་ཡིག ༡༢༣ ༼ཀ༽", ["བོད་ཡིག་ ༡༢༣"]),
        ("ሰላም፡ዓለም። ፩፪፫", ["ሰላም ዓለም ። 123"]),
    ],
    "chinese": [
        ("那个男孩昨天买了三个苹果。", ["那个男孩昨天吃了三个苹果。", "昨天那个男孩买了三个苹果！"]),
        ("你好,世界。今天是2024.1.1号、对吗?3,5", ["你好，世界！今天是2024年1月1日，对吗？3.5"]),
        ("我在北京工作了10年,现在住在上海(浦东).", ["我在北京工作了十年，现在住在上海（浦东）。"]),
        ("「臺灣」與『香港』——不同的地方……", ["“台湾”和“香港”是不同的地方…"]),
        ("𠀀𠮷野家 𪚥 㐀㐁 﨑 豈", ["吉野家 㐀 﨎 更"]),
        ("ＡＢＣ１２３，ａｂｃ", ["abc123,ABC"]),
        ("〇一二三 ㊀㈠ ㄅㄆㄇ ⺀⺁ ⼀⼁ ⿰", ["零一二三"]),
        ("请打电话 010-1234-5678 或写信给 a.b@c.cn 。", ["请致电 010-12345678 或发邮件至 a.b@c.cn。"]),
    ],
    "japanese": [
        ("東京は、日本の首都です。(たぶん)", ["東京は日本の首都です（多分）。"]),
        ("彼女はコーヒーを飲みながら本を読んでいる。", ["彼女は本を読みながらコーヒーを飲んでいます。"]),
        ("ｶﾀｶﾅとカタカナ・ひらがな〜々〆", ["カタカナとひらがな"]),
        ("ヴァイオリンを2.5時間弾いた!", ["バイオリンを２．５時間弾いた！"]),
    ],
    "korean": [
        ("안녕하세요, 세계! 3.5점입니다.", ["안녕하세요 세계, 3.5 점입니다."]),
        ("그 소년은 어제 사과 세 개를 샀다.", ["소년은 어제 사과를 세 개 샀다."]),
        ("한국 각", ["한국 각"]),
    ],
    "emoji": [
        ("Great job 👍👍🏽, see you 👩‍👩‍👧!", ["Great job 👍, see you 👩‍👩‍👧‍👦!"]),
        ("🇩🇪🇫🇷 1️⃣ #️⃣ ❤️ ❤", ["🇩🇪 🇫🇷 1 # ❤️"]),
        ("😀😃😄", ["😀😄😃"]),
        ("☀☁☂ ✂✈✓ ⚽", ["☀ ☁ ☂ ✂ ✈ ✓"]),
    ],
    "combining and invisible": [
        ("e\u0301te\u0301, o\u0308, n\u0303", ["été, ö, ñ"]),
        ("Z̷a̷l̷g̷o̷ t̸e̸x̸t̸", ["Zalgo text"]),
        ("zero\u200bwidth, \ufeffmark, soft\u00adhyphen, \u180e\u2060", ["zerowidth, mark, softhyphen"]),
        ("left\u200eright\u200f \u202aembed\u202c", ["leftright embed"]),
        ("\u0301alone \u20dd", ["alone"]),
    ],
    "white space": [
        ("spaces\u00a0that\u2009are\u202fnot\u3000ASCII\u2003.", ["spaces that are not ASCII ."]),
        ("control\x1cspaces\x1dtoo\x1e,\x1f.\x85end\x0b\x0c", ["control spaces too , . end"]),
        ("line\u2028separator\u2029paragraph", ["line separator paragraph"]),
        ("  leading and trailing   ", ["leading and trailing"]),
        ("\ttabs\tbetween\twords\t", ["tabs between words"]),
        ("two\nlines\n", ["two lines"]), ("hyphen-\nated, and-\n", ["hyphenated, and"]), ("dash 9-\n9\r\n", ["dash 99\r"]),
        (" \u3000\t", ["something"]), ("something", [" \u2003 "]), ("many      spaces   ,   and . stops", ["many spaces, and stops."]),
    ],
    "control characters": [
        ("bell\x07 and escape\x1b[31mred\x1b[0m", ["bell and escape red"]),
        ("nul\x00inside", ["nul inside"]), ("\x01\x02\x03", ["\x01 \x02 \x03"]), ("delete\x7f \x9f\x80", ["delete"]),
    ],
    "numbers": [
        ("In 2016, 1,234.5 of 10-12 items cost $3.50.", ["In 2016 , 1,234.5 of 10 - 12 items cost $ 3.50 ."]),
        ("3.14 is less than 3,1415; 1,000,000.00 is more.", ["3,14 is less than 3.1415; 1.000.000,00 is more."]),
        ("No. 7, no. 8., and 9.", ["No 7, no 8, and 9."]), ("Ends with a number 42.", ["Ends with a number 42 ."]),
        ("Version 2.0.1-beta, pages 10-12, 1990-", ["Version 2.0.1 beta, pages 10–12, 1990–"]),
        ("-5 degrees, 7-year-old, A-1 and 1-A", ["−5 degrees, 7 year old, A1 and 1A"]),
        (".5 and 5. and .5. and ,5,", ["0.5 and 5.0 and .5 and ,5"]), ("a.b.c, x,y,z 1.a 1,a a.1 a,1", ["a b c x y z 1 a"]),
        ("½ + ¼ = ¾; x² ≥ 0; ⅷ, ①.②,③ 1².", ["½ + ¼ = 3/4; x2 >= 0; viii, 1.2,3"]),
        ("٣٫٥ ۱۲٬۳۴۵ १,२३४.५ ๑.๕ 𝟙.𝟚", ["3.5 12,345 1,234.5 1.5 1.2"]),
        ("12:30, 24/7, 50%, #1, C++, C#, 1/2, ±5°C", ["12.30, 24 / 7, 50 %, # 1, C + +, C #, ½, 5 °C"]),
        ("1e-5 0x1F +49 (0)30 123-45", ["1e5 0x1f 0049 30 12345"]),
    ],
    "punctuation": [
        ("Wait... what?! ..., ,,, .,.,", ["Wait … what? !"]), ("..", ["."]), (",.", [".,"]), ("-", ["–"]),
        ("(see [1], {2} & <3>) ~ tilde_under `tick` ^ | \\ / @ # $ % * + = : ;", ["see 1, 2 and 3"]),
        ("\"double\" and 'single' quotes, ‘curly’ “quotes” ‹a› «b»", ["'double' and \"single\" quotes"]),
        ("‐‑‒–—― ․‥… ‰ § ¶ † ‡ • ‖", ["- - - - - -"]),
        ("€£¥₹₽₿ ©®™ °¬¦ ←↑→↓ ∀∃∑√∞ ≤≥≠ ■□▲", ["€ £ ¥ ₹ ₽ ₿ © ® ™"]),
        ("、。〈〉《》【】〔〕！？；：", ["、。"]), ("a、b。c", ["a 、 b 。 c"]), ("¡a! ¿b? ;c; ·d·", ["a b c d"]),
        ("https://example.org/a?b=c&d=e, mail@example.org", ["http://example.org/a?b=c, mail@example.com"]),
    ],
    "entities": [
        ("&quot;entities&quot; &amp; &lt;tags&gt;", ["\"entities\" & <tags>"]),
        ("&amp;quot; &amp;amp; &amp;lt; &amp;amp;lt;", ["&quot; &amp; &lt;"]),
        ("&apos; &nbsp; &#39; &#x27; stay", ["' ' ' stay"]), ("AT&T and R&D, fish & chips", ["AT&amp;T and R&amp;D, fish &amp; chips"]),
        ("a<skipped>b <skipped> <skip<skipped>ped>", ["ab <skipped>"]), ("<b>bold</b> & <i>it</i>", ["bold & it"]),
    ],
    "case": [
        ("ＦＵＬＬ ΑΒΓ АБВ İIıi ẞß ŒÆ ǄǅǆǱǲ Ⅷⅷ Ⓐⓐ 𐐀𐐨 𞤀𞤢 Ꟁꟁ", ["ｆｕｌｌ αβγ абв i̇iıi ßß œæ ǆǆǆǳǳ ⅷⅷ ⓐⓐ 𐐨𐐨 𞤢𞤢 ꟁꟁ"]),
        ("K Å Ω ϴ ẛ ſ ŉ ǰ ΐ", ["k å ω θ ṡ s ʼn ǰ ΐ"]), ("THE CAPITALS", ["the capitals"]), ("The Cat Sat Down .", ["the cat sat down ."]),
    ],
    "empty": [
        ("", ["a reference"]), ("a hypothesis", [""]), ("", [""]), ("", ["", "x y"]), ("x y", ["", "x y z"]), ("a b c", [None, "a b c d"]),
    ],
    "references of several lengths": [
        ("a b c d e", ["a b c", "a b c d e f g"]), ("a b c d e", ["a b c d e f g", "a b c"]), ("a a b b", ["a a b", "b b a", "a b"]),
        ("the small cat sleeps", ["a small cat sleeps", "the little cat sleeps", "the small cat is asleep", "cat"]),
        ("a b c d e f", [None, None, "a b c x y z d e f"]),
    ],
}


def mutated(text, rng):
    """The text with one to four words or characters dropped, doubled, swapped or moved."""
    units = text.split(" ") if " " in text and rng.random() < 0.7 else list(text)
    joiner = " " if " " in text and len(units) == len(text.split(" ")) else ""
    for _ in range(rng.randint(1, 4)):
        if not units:
            break
        i, j = rng.randrange(len(units)), rng.randrange(len(units))
        action = rng.choice(["drop", "double", "swap", "move", "case"])
        if action == "drop":
            del units[i]
        elif action == "double":
            units.insert(j, units[i])
        elif action == "swap":
            units[i], units[j] = units[j], units[i]
        elif action == "move":
            block = units[i:i + rng.randint(1, 4)]
            del units[i:i + len(block)]
            j = min(j, len(units))
            units[j:j] = block
        else:
            units[i] = units[i].swapcase()
    return joiner.join(units)


def main():
    pairs = [{"group": group, "hypothesis": hypothesis, "references": references}
             for group, rows in WRITTEN.items() for hypothesis, references in rows]
    rng = random.Random(7)
    for pair in pairs[:]:
        base = next(reference for reference in pair["references"] if reference is not None)
        references = [base] + ([mutated(base, rng)] if rng.random() < 0.3 else [])
        pairs.append({"group": pair["group"], "hypothesis": mutated(base, rng), "references": references})
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"made_by": "tests/golden/evaluation_pairs.py", "pairs": pairs}, indent=1) + "\n",
                    encoding="utf-8")
    print(len(pairs))


if __name__ == "__main__":
    main()

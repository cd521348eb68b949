#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/grammar/draw.h"
#include "data/grammar/lexicon.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {
namespace {

// A sentence, given by its construction and the words of its slots, and its translation by a person.
struct Case {
  std::string construction;
  std::string slots;  // "V=buy S=the/woman O=a/red/apple": determiner/adjective/noun
  std::string english, german, chinese;
};

const Entry& word(const Slot& slot, std::string_view name) {
  const auto& lexicon = demo_grammar().lexicon();
  switch (slot.kind) {
    case SlotKind::kVerb:
      return lexicon.get(EntryKind::kVerb, name);
    case SlotKind::kAdjective:
      return lexicon.get(EntryKind::kAdjective, name);
    case SlotKind::kAdverb:
      return lexicon.get(EntryKind::kAdverb, name);
    case SlotKind::kModal:
      return lexicon.get(EntryKind::kModal, name);
    default:
      return lexicon.get(EntryKind::kNoun, name);
  }
}

Choice choose(const Slot& slot, const std::string& text) {
  if (!slot.is_noun()) return {&word(slot, text), nullptr, nullptr};
  const auto& lexicon = demo_grammar().lexicon();
  const auto parts = split(text, '/');
  Choice choice;
  choice.word = &word(slot, parts.back());
  choice.determiner = &lexicon.get(EntryKind::kDeterminer, parts[0]);
  if (parts.size() == 3) choice.adjective = &lexicon.get(EntryKind::kAdjective, parts[1]);
  return choice;
}

// Returns the first pattern that has these slots and accepts these words; "#N " selects the N-th such pattern.
Sentence make_sentence(const Case& one) {
  std::map<std::string, std::string> filling;
  int wanted = 1;
  for (const auto& part : split_words(one.slots)) {
    if (part.starts_with('#'))
      wanted = std::stoi(part.substr(1));
    else
      filling[part.substr(0, part.find('='))] = part.substr(part.find('=') + 1);
  }
  const auto& constructions = demo_grammar().constructions();
  const auto construction = std::ranges::find(constructions, one.construction, &Construction::name);
  if (construction == constructions.end()) throw std::invalid_argument("no construction " + one.construction);
  for (const auto& pattern : construction->patterns) {
    if (pattern.slots.size() != filling.size()) continue;
    Sentence sentence{&*construction, &pattern, {}};
    for (const auto& slot : pattern.slots) {
      if (!filling.contains(slot.name)) break;
      if (slot.kind == SlotKind::kVerb &&
          !slot.has_classes(demo_grammar().lexicon().get(EntryKind::kVerb, filling.at(slot.name))))
        break;
      sentence.choices.push_back(choose(slot, filling.at(slot.name)));
      if (!slot.has_classes(*sentence.choices.back().word)) break;
      const bool of_role = slot.kind == SlotKind::kRole;
      if (of_role && !sentence.choices[slot.of].word->takes(slot.role, *sentence.choices.back().word)) break;
      if (slot.is_noun() &&
          std::ranges::find(slot.determiners, sentence.choices.back().determiner) == slot.determiners.end())
        break;
      if (&slot == &pattern.slots.back() && --wanted == 0) return sentence;
    }
  }
  throw std::invalid_argument("no pattern of " + one.construction + " for " + one.slots);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"transitive", "V=like S=the/old-person/man O=the/red/flower", "The old man likes the red flower.",
       "Der alte Mann mag die rote Blume.", "那个老男人喜欢那朵红色的花。"},
      {"transitive", "V=have S=pronoun/I O=two/small/dog", "I have two small dogs.", "Ich habe zwei kleine Hunde.",
       "我有两只小狗。"},
      {"transitive", "V=drink S=the-plural/student O=bare/cold/milk T=often", "The students often drink cold milk.",
       "Die Studenten trinken oft kalte Milch.", "学生们常常喝冷牛奶。"},
      {"transitive", "V=trust S=pronoun/she O=the/neighbor", "She trusts the neighbor.", "Sie vertraut dem Nachbarn.",
       "她信任那个邻居。"},
      {"progressive", "V=read S=a/boy O=the/newspaper", "A boy is reading the newspaper.",
       "Ein Junge liest gerade die Zeitung.", "一个男孩正在读那份报纸。"},
      {"progressive", "V=watch-television S=the-plural/child P=the/bedroom",
       "The children are watching television in the bedroom.", "Die Kinder sehen gerade im Schlafzimmer fern.",
       "孩子们正在卧室里看电视。"},
      {"past", "V=buy S=the/woman O=a/apple T=yesterday", "The woman bought an apple yesterday.",
       "Die Frau hat gestern einen Apfel gekauft.", "那个女人昨天买了一个苹果。"},
      {"past", "V=run S=three/child P=the/forest T=three-days-ago", "Three children ran in the forest three days ago.",
       "Drei Kinder sind vor drei Tagen im Wald gelaufen.", "三个孩子三天前在森林里跑步了。"},
      {"future", "V=help S=pronoun/we O=the/student T=tomorrow", "We will help the student tomorrow.",
       "Wir werden morgen dem Studenten helfen.", "我们明天会帮助那个学生。"},
      {"future", "V=shop S=my/sister P=the/city T=next-week", "My sister will shop in the city next week.",
       "Meine Schwester wird nächste Woche in der Stadt einkaufen.", "我的姐妹下周会在城市里购物。"},
      {"ditransitive", "V=give S=the/teacher R=the/boy O=a/book", "The teacher gave the boy a book.",
       "Der Lehrer hat dem Jungen ein Buch gegeben.", "那位老师给了那个男孩一本书。"},
      {"ditransitive", "V=lend S=the/nurse O=this/new/car R=own/brother", "The nurse lent this new car to her brother.",
       "Die Krankenschwester hat ihrem Bruder dieses neue Auto geliehen.", "那位护士把这辆新汽车借给了她的兄弟。"},
      {"ditransitive", "V=buy S=name/Peter R=the-plural/child O=three/egg T=this-morning",
       "Peter bought the children three eggs this morning.", "Peter hat den Kindern heute Morgen drei Eier gekauft.",
       "彼得今天早上给孩子们买了三个鸡蛋。"},
      {"inversion", "V=play S=the/girl P=the/garden T=yesterday", "Yesterday the girl played in the garden.",
       "Gestern hat das Mädchen im Garten gespielt.", "昨天那个女孩在花园里玩了。"},
      {"inversion", "V=eat S=pronoun/they O=bare/fresh/bread T=every-morning", "Every morning they eat fresh bread.",
       "Jeden Morgen essen sie frisches Brot.", "每天早上他们吃新鲜的面包。"},
      {"inversion", "V=read S=pronoun/I O=the/letter T=day-after-tomorrow",
       "The day after tomorrow I will read the letter.", "Übermorgen werde ich den Brief lesen.", "后天我会读那封信。"},
      {"modal", "M=must V=repair S=the/driver O=the/bicycle", "The driver must repair the bicycle.",
       "Der Fahrer muss das Fahrrad reparieren.", "那个司机必须修那辆自行车。"},
      {"modal", "M=want V=open S=name/Anna O=the/window #2", "Anna does not want to open the window.",
       "Anna will das Fenster nicht aufmachen.", "安娜不想打开那扇窗户。"},
      {"separable", "V=close S=the-plural/neighbor O=the/door T=every-evening",
       "The neighbors close the door every evening.", "Die Nachbarn machen jeden Abend die Tür zu.",
       "邻居们每天晚上关上那扇门。"},
      {"separable", "V=get-up S=my/grandmother T=every-day H=two-oclock",
       "My grandmother gets up at two o'clock every day.", "Meine Großmutter steht jeden Tag um zwei Uhr auf.",
       "我的奶奶每天两点起床。"},
      {"negation", "V=like S=pronoun/he O=the/horse", "He does not like the horse.", "Er mag das Pferd nicht.",
       "他不喜欢那匹马。"},
      {"negation", "V=have S=name/Paul O=no/red/car", "Paul does not have a red car.", "Paul hat kein rotes Auto.",
       "保罗没有红色的汽车。"},
      {"negation", "V=buy S=these/tourist O=this/ticket", "These tourists did not buy this ticket.",
       "Diese Touristen haben diese Fahrkarte nicht gekauft.", "这些游客没买这张票。"},
      {"negation", "V=drink S=the/cook O=bare/wine", "The cook never drinks wine.", "Der Koch trinkt nie Wein.",
       "那位厨师从来不喝葡萄酒。"},
      {"yes-no-question", "V=know S=the/farmer O=name/Maria", "Does the farmer know Maria?", "Kennt der Bauer Maria?",
       "那个农民认识玛丽亚吗？"},
      {"yes-no-question", "N=the-plural/guest A=tired", "Are the guests tired?", "Sind die Gäste müde?",
       "客人们累吗？"},
      {"wh-question", "V=write S=the/writer T=last-week", "What did the writer write last week?",
       "Was hat der Autor letzte Woche geschrieben?", "那位作家上周写了什么？"},
      {"wh-question", "V=watch-television S=the-plural/student T=every-sunday",
       "Where do the students watch television every Sunday?", "Wo sehen die Studenten jeden Sonntag fern?",
       "学生们每个星期天在哪里看电视？"},
      {"wh-question", "V=buy S=name/Julia O=how-many/chair", "How many chairs did Julia buy?",
       "Wie viele Stühle hat Julia gekauft?", "茱莉亚买了多少把椅子？"},
      {"relative", "V=invite S=the/man O=these/girl A=happy", "The man who invited these girls is happy.",
       "Der Mann, der diese Mädchen eingeladen hat, ist glücklich.", "邀请了这些女孩的那个男人很快乐。"},
      {"relative", "V=buy S=the/uncle O=the/coat A=cheap", "The coat that the uncle bought is cheap.",
       "Der Mantel, den der Onkel gekauft hat, ist billig.", "那位叔叔买的那件大衣很便宜。"},
      {"because", "V=work S=the-plural/nurse T=yesterday A=ill",
       "The nurses did not work yesterday because they were ill.",
       "Die Krankenschwestern haben gestern nicht gearbeitet, weil sie krank waren.",
       "护士们昨天没工作，因为她们病了。"},
      {"because", "V=buy S=the/artist O=the/lamp A=beautiful", "The artist bought the lamp because it was beautiful.",
       "Der Künstler hat die Lampe gekauft, weil sie schön war.", "那位艺术家买了那盏灯，因为它很漂亮。"},
      {"although", "V=buy S=my/father O=the/cupboard A=heavy", "Although the cupboard was heavy, my father bought it.",
       "Obwohl der Schrank schwer war, hat mein Vater ihn gekauft.", "虽然那个柜子很重，但是我的父亲买了它。"},
      {"although", "V=swim S=pronoun/she P=the/lake T=yesterday A=sad",
       "Although she was sad, she swam in the lake yesterday.",
       "Obwohl sie traurig war, ist sie gestern im See geschwommen.", "虽然她很难过，但是她昨天在湖里游泳了。"},
      {"that", "W=know-that R=pronoun/I V=turn-off S=the/guest O=the/radio",
       "I know that the guest turned off the radio.", "Ich weiß, dass der Gast das Radio ausgeschaltet hat.",
       "我知道那位客人关掉了那台收音机。"},
      {"that", "W=say-that R=name/Lisa V=close S=my/son O=the/window T=every-evening",
       "Lisa says that my son closes the window every evening.",
       "Lisa sagt, dass mein Sohn jeden Abend das Fenster zumacht.", "丽莎说我的儿子每天晚上关上那扇窗户。"},
      {"if", "V=run S=pronoun/we P=the/park C=no-rain", "If it does not rain, we run in the park.",
       "Wenn es nicht regnet, laufen wir im Park.", "如果不下雨，我们就在公园里跑步。"},
      {"if", "V=shop S=the/aunt A=tired", "If the aunt is tired, she does not shop.",
       "Wenn die Tante müde ist, kauft sie nicht ein.", "如果那位阿姨很累，她就不购物。"},
      {"when", "V=swim S=the/doctor X=young-then T=often P=the/river",
       "When the doctor was young, he often swam in the river.",
       "Als der Arzt jung war, ist er oft im Fluss geschwommen.", "那位医生年轻的时候，他常常在河里游泳。"},
      {"when", "V=learn S=name/Martin X=child-then T=rarely O=bare/mathematics",
       "When Martin was a child, he rarely learned mathematics.",
       "Als Martin ein Kind war, hat er selten Mathematik gelernt.", "马丁还是孩子的时候，他很少学数学。"},
      {"coordination", "N=the/cat A=old-person B=clever", "The cat is old, but it is clever.",
       "Die Katze ist alt, aber sie ist klug.", "那只猫很老，但是它很聪明。"},
      {"coordination", "W=find S=the/boy V=give O=a/pen R=own/mother", "The boy found a pen and gave it to his mother.",
       "Der Junge hat einen Stift gefunden und ihn seiner Mutter gegeben.",
       "那个男孩找到了一支笔，并把它给了他的母亲。"},
      {"existence", "N=two/white/rabbit P=the/garden", "There are two white rabbits in the garden.",
       "Im Garten gibt es zwei weiße Kaninchen.", "花园里有两只白色的兔子。"},
      {"existence", "N=a/letter P=the/box", "There is a letter in the box.", "In der Kiste liegt ein Brief.",
       "箱子里有一封信。"},
      {"location", "N=the/cup P=the/table", "The cup is on the table.", "Die Tasse ist auf dem Tisch.",
       "那个杯子在桌子上。"},
      {"location", "V=live S=the-plural/farmer P=the/village", "The farmers live in the village.",
       "Die Bauern wohnen im Dorf.", "农民们住在村子里。"},
      {"direction", "V=go S=the-plural/student P=the/station T=yesterday",
       "The students went to the station yesterday.", "Die Studenten sind gestern zum Bahnhof gegangen.",
       "学生们昨天去了火车站。"},
      {"direction", "V=stand S=the/woman O=the/vase P=the/table T=this-morning",
       "The woman put the vase on the table this morning.",
       "Die Frau hat heute Morgen die Vase auf den Tisch gestellt.", "那个女人今天早上把那个花瓶放在了桌子上。"},
      {"comparison", "N=this/house A=big B=the/castle", "This house is bigger than the castle.",
       "Dieses Haus ist größer als das Schloss.", "这座房子比那座城堡大。"},
      {"comparison", "#2 N=the/coat A=expensive B=the/dress", "The coat is as expensive as the dress.",
       "Der Mantel ist so teuer wie das Kleid.", "那件大衣和那条连衣裙一样贵。"},
      {"infinitive", "K=forget-to S=the/policeman V=turn-off O=the/lamp T=yesterday",
       "Yesterday the policeman forgot to turn off the lamp.",
       "Gestern hat der Polizist vergessen, die Lampe auszuschalten.", "昨天那个警察忘记关掉那盏灯。"},
      {"infinitive", "K=hope-that S=two/girl V=buy O=the/red/dress", "Two girls hope to buy the red dress.",
       "Zwei Mädchen hoffen, das rote Kleid zu kaufen.", "两个女孩希望买那条红色的连衣裙。"},
      {"possessive", "V=love S=these/woman O=own/dog", "These women love their dog.", "Diese Frauen lieben ihren Hund.",
       "这些女人爱她们的狗。"},
      {"possessive", "V=wash S=the/farmer O=own/old-thing/car T=every-sunday",
       "The farmer washes his old car every Sunday.", "Der Bauer wäscht jeden Sonntag sein altes Auto.",
       "那个农民每个星期天洗他的旧汽车。"},
      {"description", "N=the-plural/cow A=black", "The cows are black.", "Die Kühe sind schwarz.", "那些牛是黑色的。"},
      {"description", "#2 N=this/tree A=big", "This tree is very big.", "Dieser Baum ist sehr groß.", "这棵树非常大。"},
      {"description", "N=a/strong/elephant", "This is a strong elephant.", "Das ist ein starker Elefant.",
       "这是一头强壮的大象。"},
  };
  return all;
}

class DemoSentenceTest : public testing::TestWithParam<Case> {};

TEST_P(DemoSentenceTest, EqualsTheTranslationByHand) {
  const auto sentence = make_sentence(GetParam());
  const auto& lexicon = demo_grammar().lexicon();
  EXPECT_EQ(realize(lexicon, sentence, Language::kEnglish), GetParam().english);
  EXPECT_EQ(realize(lexicon, sentence, Language::kGerman), GetParam().german);
  EXPECT_EQ(realize(lexicon, sentence, Language::kChinese), GetParam().chinese);
}

INSTANTIATE_TEST_SUITE_P(All, DemoSentenceTest, testing::ValuesIn(cases()),
                         [](const auto& one) { return "Sentence" + std::to_string(one.index); });

TEST(DemoSentencesTest, EachConstructionHasTwoByHand) {
  std::map<std::string, int> count;
  for (const auto& one : cases()) ++count[one.construction];
  for (const auto& construction : demo_grammar().constructions())
    EXPECT_GE(count[construction.name], 2) << construction.name;
}

TEST(DemoSentencesTest, CombinationsAreThoseOfItsWords) {
  EXPECT_THAT(combinations(make_sentence({"past", "V=buy S=the/tall/woman O=a/red/apple T=yesterday", {}, {}, {}})),
              testing::UnorderedElementsAre("past with buy", "buy subject woman", "tall woman", "buy object apple",
                                            "red apple"));
  EXPECT_THAT(combinations(make_sentence({"description", "N=the/cow A=black", {}, {}, {}})),
              testing::UnorderedElementsAre("description with cow", "black cow"));
  // Pronouns go with everything.
  EXPECT_THAT(combinations(make_sentence({"possessive", "V=love S=pronoun/I O=own/dog", {}, {}, {}})),
              testing::UnorderedElementsAre("possessive with love", "love object dog"));
}

}  // namespace
}  // namespace gloss::grammar

#include "common/sentences/abbreviations.h"

namespace gloss {
namespace {

// clang-format off
constexpr LanguageWords kShared{
   .never = "dr prof mr mrs hr Ms Sr Ing Mag cf vs ca ibid e.g i.e P.S P.P.S P.-S N.B",
   .before_number = "Nr No~ Nos vol vols fig figs art~ cap~ chap p pp pos tab tel Abb ed~ ext",
   .before_name = "inc ltd corp Co Jr st al~ a.m p.m Ph.D",
};

constexpr LanguageWords kLanguages[] = {
  {.codes = "en eng",
   .never = "Messrs Mses Mmes Gen Col Maj Capt Lt Cmdr Sgt Cpl Pvt Adm Brig Rev Hon Gov Sen Rep Pres~ Supt Insp Fr "
     "Msgr Bros viz a.k.a Mt Ft",
   .before_number = "no~ nos sec~ ch par para paras eq eqs eqn ver p pp pt approx app ext ref refs v vv Jan Feb Mar~ "
     "Apr Jun Jul Aug Sep Sept Oct Nov Dec Matt~ Phil~ Gen~ Exod Lev~ Deut Cor~ Gal~ Eph Thess Heb Rom~ Rev est~ c n "
     "cc bk vers max~ min~ avg~ temp~ alt~",
   .before_name = "Sr Esq Bros Assn Dept Univ Inst Intl Natl Govt Mfg Ave Blvd Rd Hwy Sq Bldg Rte Dist Calif Conn "
     "Mass~ Mich Minn Miss~ Penn Tenn Tex Wash~ Va Ont Que~ Mon~ Tue Tues Wed~ Thu Thur Thurs Fri~ Sat~ Sun~ incl excl "
     "misc resp orig Ed~ Eds Jos Wm Chas Geo Thos Robt Benj Alex~ Pty LLC",
   .starters = "the a an this that these those it he she they we you i my your his her its our their there here in on "
     "at by for from with without to of as if when while where why how what who whose which and but or nor so yet "
     "because although though since after before then now however moreover furthermore nevertheless therefore thus "
     "meanwhile also still once until unless despite during according between both each every some many most all no "
     "not yes nobody nothing everyone everything someone one two three another others such let please maybe perhaps "
     "finally later today yesterday tomorrow is are was were do does did can could will would should may must have has "
     "had under over through instead even only just",
   .labels = "plan type vitamin grade class group option point part section appendix figure exhibit step test position "
     "hepatitis side team level gate platform block building zone hall schedule category variant version model series "
     "column row letter and",
   .objects = "it the this that these those a an your my his her our their them me us him all",
   .reporting = "said asked replied answered cried shouted whispered yelled exclaimed demanded muttered murmured "
     "called screamed wondered inquired says asks"},
  {.codes = "de deu ger",
   .never = "bzw z.B z.T z.Zt d.h d.i u.a o.ä o.g s.o s.u i.d.R u.U v.a vgl sog geb gest gesch gez verh Hrn Fr Frl "
     "Dipl Priv Doz Hrsg hrsg evtl ggf ggfs inkl exkl einschl zzgl abzgl bes insb insbes allg eigtl ehem lat griech "
     "engl frz dt österr schweiz amerik ital span russ mind max~ durchschn rd bspw lt gem entspr jew urspr wiss techn "
     "städt kath ev~ dgl resp phil~ med~ jur rer nat Ing Pfr Hptm Lt Gen Kard Sr Bf svw syn Jh ahd mhd Univ",
   .before_number = "Nrn Nr Bd Bde Kap Abs Abschn Abb Tab Ziff S Sp Rn Rdnr Art~ Anm Aufl Jg H Z Bl Lfg Zif Anl Teilbd "
     "Jan Feb Mrz Apr Jun Jul Aug Sep~ Sept Okt Nov Dez -str Str Tel Fax Kl Pos Best Vers Ps Mt Mk Lk Joh Röm Kor Gal "
     "Offb",
   .before_name = "usw usf etc v.Chr n.Chr u.v.m u.ä u.dgl Co Mio Mrd Mill Tsd Std Min~ Sek Stk Stck St Hbf Bhf Str Pl "
     "Jhdt Jhd Ztr geh amtl Abt Ges Fa Verf Vors Sen Jun jun sen Jr Mo Di Mi Do Fr Sa So~ Adr Tel Bez Lit Forts",
   .starters = "der die das den dem des ein eine einen einem einer er sie es ich wir ihr man du mein meine sein seine "
     "ihre unser unsere dieser diese dieses diesem diesen jener jene jede jeder jedes alle viele einige manche mehrere "
     "andere in im an am auf aus bei beim mit nach vor von vom zu zum zur für gegen ohne um über unter durch während "
     "wegen trotz seit bis zwischen neben ab als wenn weil da dass ob obwohl wie wo wer was wann warum und aber oder "
     "denn doch sondern auch nur noch schon hier dort dann danach daher deshalb dabei dadurch damit dazu darum dafür "
     "dagegen daraufhin darauf darüber davor trotzdem allerdings jedoch außerdem zudem jetzt nun heute damals gestern "
     "morgen später zuerst zunächst schließlich endlich plötzlich so sonst nicht kein keine keiner niemand nichts "
     "jemand etwas beide bald vielleicht leider natürlich bitte ja nein ist sind war waren hat haben kann können wird "
     "werden soll muss sollte zwei drei laut anschließend inzwischen seitdem obgleich somit",
   .labels = "plan typ vitamin note klasse gruppe option punkt teil abschnitt anhang anlage schritt position hepatitis "
     "seite tor block gebäude zone halle variante version modell reihe spalte buchstabe stufe taste",
   .number_ordinals = true, .roman_ordinals = true},
  {.codes = "fr fra fre",
   .never = "MM Mme Mmes Mlle Mlles Me Mgr Pr p.ex c.-à-d c.à.d env éd dir~ trad coll~ litt cf conf av~ apr hab "
     "bd~ blvd jr vve Cdt Cne Gal Col Lt Adj ms mss s.-t",
   .before_number = "ex~ n° no~ nos art~ chap fig p pp t vol vols al~ par~ § sect lun mar~ mer~ jeu~ ven sam dim janv "
     "févr avr juill sept oct nov déc tél ch env tab pl réf éq ann~ hab~ liv ps~ Mt Lc Jn Rm Gn",
   .before_name = "St Ste Sts Cie Ets Sté Bd Bld Blvd Ch Fg Imp~ Pl Rte Dpt s.a.r.l",
   .ends = "J.-C",
   .starters = "le la les l' un une des du d' ce cet cette ces c' il elle ils elles on je j' tu nous vous mon ma mes "
     "son sa ses notre nos votre leur leurs en dans sur sous avec sans pour par de à au aux chez vers entre depuis "
     "pendant après avant lorsque lorsqu' quand comme si s' mais et ou où donc or car ni qui que qu' quoi quel quelle "
     "pourquoi comment puis ensuite alors ainsi aussi cependant toutefois pourtant néanmoins enfin certains plusieurs "
     "tous toutes tout chaque aucun aucune personne rien hier aujourd'hui demain ici là ne n' pas oui non est était "
     "deux trois malgré selon grâce bien parfois cela ça ceux celle celui voici voilà dès d'abord finalement",
   .labels = "plan type vitamine classe groupe option point partie section annexe étape position hépatite côté bloc "
     "bâtiment zone hall variante version modèle série colonne lettre niveau ligne quai"},
  {.codes = "es spa",
   .never = "Sra Sras Sres Srta Srtas Dra Dres Dras Don~ Dña P.D p.ej EE FF RR ej~ Excmo Excma Ilmo Ilma Mons Fr Rvdo "
     "Lic Licda Arq Prof Profa Gral Cnel Tte Cap~ Sto Sta Hnos Cía~ aprox vid tel tfno av~ avda",
   .before_number = "núm núms n.º nº no~ párr pág págs p pp art~ arts cap~ caps vol vols fig figs t ed~ tel tlf tfno "
     "C.P lun mar~ mié jue vie~ sáb dom~ ene feb abr may~ jun jul ago~ sep~ sept oct nov dic ref apdo km~ máx mín "
     "aprox",
   .before_name = "UU AA DD HH PP JJ OO S.A S.L C.V Cía Hno Bco Depto Dpto prov Pza Pl Ctra izq dcha Jr",
   .ends = "a.C d.C Ud Uds Vd Vds",
   .starters = "el la los las lo un una unos unas él ella ellos ellas yo tú usted ustedes nosotros este esta esto "
     "estos estas ese esa eso esos aquel aquella mi mis tu su sus nuestro nuestra se le les me te nos en de del a al "
     "con sin para por sobre entre desde hasta hacia según durante tras ante bajo cuando mientras como cómo si porque "
     "aunque pero y e o ni que qué quién quien cuál dónde donde cuándo luego entonces después antes también tampoco "
     "además así ahora hoy ayer mañana aquí allí no sí ya todo toda todos todas cada muchos muchas algunos algunas "
     "varios otro otra otros nada nadie es era fue son está hay había dos tres más sólo solo finalmente embargo",
   .labels = "plan tipo vitamina clase grupo opción punto parte sección anexo paso posición hepatitis lado puerta "
     "bloque edificio zona variante versión modelo serie columna letra nivel línea"},
  {.codes = "it ita",
   .never = "sig sigg sig.ra sig.na dott dott.ssa prof.ssa avv arch geom rag on~ mons gent.mo egr spett p.es es~ cav "
     "comm gen~ col~ cap~ ten~ mar~ serg pagg op cit~ cd~",
   .before_number = "n nn art~ artt pag pagg p pp cap~ vol~ fig~ par~ co~ sez all~ tab tav lett lun mer~ gio ven sab "
     "dom~ gen~ feb mar~ apr mag~ giu~ lug ago~ set~ ott nov dic tel",
   .before_name = "S.p.A S.r.l s.n.c F.lli Soc S.S",
   .ends = "a.C d.C",
   .starters = "il lo la i gli le l' un uno una un' lui lei loro noi voi io tu egli essa questo questa questi queste "
     "quel quello quella mio mia suo sua nostro in nel nella nei di del della da dal a al alla con su per tra fra dopo "
     "prima quando mentre come se perché anche ma e o né che chi cosa dove poi quindi allora inoltre tuttavia infine "
     "però non sì ogni tutti tutto molti alcuni nessuno oggi ieri domani qui ora è era sono",
   .labels = "piano tipo vitamina classe gruppo opzione punto parte sezione allegato epatite"},
  {.codes = "pt por",
   .never = "Sra Sras Srs Srta Dra Drs Dras Profa Exmo Exma Eng Arq Gen Cel Cap~ Ten Sgt D Sto Sta p.ex V.Exa "
     "aprox Av~ R Pça",
   .before_number = "ex~ n nº núm pág págs p pp art~ arts cap~ vol fig fl fls inc tel séc seg~ ter~ qua qui~ sex~ sáb "
     "dom~ jan fev mar~ abr mai~ jun jul ago~ set~ out~ nov dez al~",
   .before_name = "S.A Ltda Cia Jr",
   .ends = "a.C d.C V.Exª",
   .starters = "o a os as um uma uns ele ela eles elas eu tu você vocês nós este esta isto esse essa isso aquele "
     "aquela meu minha seu sua nosso em no na nos nas de do da dos das ao à com sem para por pelo pela sobre entre "
     "desde até quando enquanto como se porque embora mas e ou nem que quem qual onde depois antes também então assim "
     "agora hoje ontem amanhã aqui não sim já todo todos toda cada muitos alguns outro nada ninguém é era foi são está "
     "há porém contudo além",
   .labels = "plano tipo vitamina classe grupo opção ponto parte seção secção anexo hepatite"},
  {.codes = "nl nld dut",
   .never = "dhr mevr mw drs ir mr ing ds bijv bv~ d.w.z o.a m.a.w t.o.v i.p.v n.a.v z.g resp evt incl excl vgl zgn "
     "m.b.t t.a.v i.v.m a.d.h.v gem jhr",
   .before_number = "nr nrs blz p pp art~ hfst afb ma~ wo vr za zo~ fig~ tel par~ vol~ jan~ feb mrt apr jun jul aug "
     "sept okt nov dec circa bijl",
   .before_name = "enz e.d e.a etc v.Chr n.Chr N.V B.V St jr sr",
   .starters = "de het een deze dit die dat hij zij ze wij we ik jij je u jullie mijn zijn haar hun ons onze er in op "
     "aan bij met na naar van voor door over onder tussen tijdens sinds tot uit als wanneer terwijl omdat hoewel en "
     "maar of want dus ook nog toen dan daarna daarom echter vervolgens nu vandaag gisteren morgen hier daar niet geen "
     "niemand niets alle veel sommige elke wat wie waar waarom hoe is was zo ja nee",
   .labels = "plan type vitamine klasse groep optie punt deel bijlage hepatitis"},
  {.codes = "pl pol",
   .never = "hab inż mgr prof doc lek płk gen~ kpt por ppłk ks św bł np tj tzn tzw m.in im ul al~ pl~ os pn pt jw ww "
     "wg śp ds tłum red oprac ang niem franc łac p.o zob por~ ",
   .before_number = "nr ust pkt poz str s rozdz rys tab t pon wt śr czw sob niedz tel lit zał~ §",
   .before_name = "itd itp r w godz tys mln mld zł gr kg wyd Sp z o.o S.A",
   .ends = "n.e p.n.e",
   .starters = "to ten ta te tego on ona ono oni one ja ty my wy w we z ze na do od po o u za przed pod nad przez dla "
     "bez przy między podczas gdy kiedy jeśli ponieważ bo a ale i lub oraz więc jednak potem następnie później wtedy "
     "teraz dziś wczoraj jutro tu tam tak nie nikt nic każdy wszyscy wiele niektórzy co kto gdzie dlaczego jak czy "
     "jest był była było były są jego jej ich mój moja nasz się również także dlatego",
   .labels = "plan typ witamina witaminy klasa grupa opcja punkt część",
   .roman_ordinals = true},
  {.codes = "cs ces cze sk slk slo",
   .never = "Ing Bc Mgr MUDr MVDr JUDr PhDr RNDr PaedDr PharmDr ThDr ThLic akad doc prof plk gen~ kpt por ppor mjr "
     "npor sv např tj tzn tzv popř příp resp zejm mj vč cca srov viz~ pí p pan~ sl fr~ ul nám tř angl něm lat řec "
     "franc rus roz nar zemř zn pplk red přel pozn t.j t.zv napr vid ",
   .before_number = "č čís str s sv odst písm čl § kap obr tab út čt pá roč sig tel fax r rr pozn příl bod~ vyd zák "
     "verš řádek max~ min~",
   .before_name = "ml st a.s s.r.o v.o.s n.m tis mil mld",
   .ends = "n.l atp",
   .starters = "ten ta to ti tato tento toto tyto tím on ona ono oni já ty my vy v ve na do od z ze s se k ke po o u "
     "za před pod nad při bez pro přes mezi během když pokud protože jestli až ale a i nebo však proto pak potom poté "
     "později nyní dnes včera zítra tady tam tak také ne nikdo nic každý všichni všechny mnoho někteří co kdo kde proč "
     "jak zda je jsou byl byla bylo byli jeho její jejich můj moje náš naše podle kromě tehdy zde už jen ještě jako "
     "není má měl kvůli díky teprve následně nakonec",
   .labels = "plán typ vitamin vitamín třída skupina bod část příloha hepatitida žloutenka varianta verze sektor "
     "vitaminu vitamínu typu skupiny třídy varianty plánu bodu",
   .roman_ordinals = true, .vowelless_words = true},
  {.codes = "sv swe da dan no nor nb nob nn nno",
   .never = "bl t.ex t.o.m d.v.s s.k fr.o.m f.d p.g.a dvs bl.a o.s.v osv~ jfr resp ev~ dr~ prof ing f.eks mfl pga "
     "iht ifm hr fr adv dir~ evt inkl ekskl exkl kl",
   .before_number = "nr s sid kap mån tis ons tors lör lør sön søn fig~ tab tel jan~ feb apr jun jul aug sept okt nov "
     "dec des st kl art~ vol~",
   .before_name = "m.m m.fl f.Kr e.Kr etc osv m.v mio mia kr St jr",
   .starters = "den det de en ett et han hon hun vi jag jeg du ni man denna denne detta dette dessa disse min sin i på "
     "av med från fra till til för for om under över over efter etter innan före ved vid hos mellan när når da då "
     "medan mens eftersom fordi men och og eller så nu idag igår här her där der inte ikke ingen alla alle många mange "
     "några nogle vad hvad hva vem hvem var hvor varför hvorfor hur är er också også sedan dock ja nej nei",
   .labels = "plan typ type vitamin klass klasse grupp gruppe punkt del bilaga hepatit"},
  {.codes = "ru rus uk ukr be bel bg bul",
   .never = "т.е т.к т.н т.о напр см ср тов гр проф акад доц инж св им ул пл просп пер пр о-в оз р-н обл ред сост г-н "
     "г-жа гос лат англ нем фр греч букв рожд мр наприклад др~",
   .before_number = "стр с рис табл гл т тт п пп ст ч № кв д корп тел изд вып разд прим ок янв февр апр авг сент окт "
     "нояб дек",
   .before_name = "т.д т.п т.ч н.э др пр г гг в вв руб коп тыс млн млрд чел экз км кг см мин сек",
   .starters = "он она оно они я ты мы вы это этот эта эти тот та те то в во на с со к ко по о об от до из за под над "
     "при без для через между после перед когда если потому хотя но а и или однако затем потом поэтому теперь сегодня "
     "вчера завтра здесь там так также не никто ничего каждый все всё многие некоторые что кто где почему как был была "
     "было были его её их мой наш у же ещё уже лишь только",
   .labels = "план тип класс группа группы пункт часть гепатит"},
  {.codes = "tr tur",
   .never = "Doç Yrd Av~ Alb Yzb Gen Mim Müh Ecz Uzm Op Sn örn bkz hz çev krş yak Öğr Gör",
   .before_number = "s sf sayfa no~ cilt c böl md tel bkz",
   .before_name = "vb vs Ltd Şti A.Ş San Tic Cad Sok Mah Apt Blv M.Ö M.S",
   .starters = "bu şu o ben sen biz siz onlar bir ve ama fakat ancak çünkü eğer sonra daha önce şimdi bugün dün yarın "
     "burada orada böyle öyle ne kim nerede neden nasıl her hiç bazı tüm bütün çok en ya da için ise yine ardından "
     "onun bunun değil var yok evet hayır",
   .labels = "plan tip vitamini grup hepatit",
   .number_ordinals = true, .roman_ordinals = true},
  {.codes = "hi hin", .never = "डॉ श्री पं प्रो सं कु मो", .before_number = "पृ क्र", .before_name = ""},
  {.codes = "fi fin",
   .never = "esim ym~ mm~ tri prof ns vrt",
   .before_number = "nro s n puh luku",
   .before_name = "jne yms ym eKr jKr klo",
   .starters = "se ne hän he minä sinä me te tämä nämä tuo ja mutta tai kun jos koska vaikka sitten nyt ei on oli "
     "olivat myös kaikki mitä missä miksi miten",
   .labels = "vitamiini hepatiitti",
   .roman_ordinals = true},
};
// clang-format on

}  // namespace

std::span<const LanguageWords> language_words() { return kLanguages; }

const LanguageWords& shared_words() { return kShared; }

}  // namespace gloss

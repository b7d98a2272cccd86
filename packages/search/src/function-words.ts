// Words that carry grammar rather than topic. They weigh less in a query; the index keeps every one
// of them (`search-language-neutral-index`). Frequency alone could not tell them apart, because
// names are frequent too.
const lists: Readonly<Record<string, string>> = {
  arabic:
    "في من على إلى عن مع هذا هذه ذلك تلك التي الذي ما ماذا متى أين كيف هل لماذا أن إن كان كانت هو هي هم نحن أنا أنت لا لم لن قد كل بعد قبل بين أو ثم و",
  chinese:
    "的 了 是 在 我 你 您 他 她 它 我们 你们 他们 这 那 这个 那个 这些 那些 什么 怎么 怎样 如何 为什么 哪 哪里 哪个 谁 几 吗 呢 吧 啊 也 都 就 还 又 和 与 或 而 但 但是 因为 所以 如果 不 没 没有 有 被 把 对 从 到 给 让 请 一个 上 下 里 中 地 得 着 过",
  czech:
    "a i v ve na s se z ze do k ke o od po pro při u za že to ten ta ty je jsou byl byla bylo být jak co kdo kde kdy proč který která které jsem jsi jsme jste ale nebo když už tak také jen si mi mě můj jeho její jejich",
  danish:
    "og i at det en et den til er som på de med han af for ikke der var mig sig men har om vi min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv her alle vil blev kunne ind når være dog noget ville jo deres efter ned skulle denne dette hvorfor hvordan hvem",
  dutch:
    "de het een en van ik te dat die in je is niet op aan met als voor had er maar om hem dan zou of wat mijn men dit zo door over ze zich bij ook tot haar ons uw deze waren onze heeft hebben heb worden werd wordt was zijn naar geen hoe waarom wanneer waar wie welke kan kunnen moet zal",
  english:
    "a an the and or but if then else of at by for with about against between into through during before after above below to from up down in out on off over under again further once here there when where why how what which who whom whose this that these those all any both each few more most other some such no nor not only own same so than too very can could will would shall should may might must do does did doing done am is are was were be been being have has had having i me my mine we us our ours you your yours he him his she her hers it its they them their theirs as until while because just also let get got s t d ll m re ve don didn doesn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn myself yourself himself herself itself themselves",
  finnish:
    "ja on ei se että oli olla ovat mutta tai kun niin kuin myös hän he me te minä sinä tämä tuo nämä nuo joka jotka mikä mitä miksi miten missä milloin kuka mukaan vain jos sitä sen siitä ole olen onko ollut",
  french:
    "le la les l un une des du de d à au aux en et ou mais donc ni car que qui quoi dont où quand comment pourquoi quel quelle quels quelles ce cet cette ces ça c je j tu il elle on nous vous ils elles me m te t se s lui leur y ne n pas plus est sont était étaient être été ai as a avons avez ont avait avoir fait faire peut pour par sur sous dans avec sans chez mon ma mes ton ta tes son sa ses notre nos votre vos leurs si qu",
  german:
    "der die das den dem des ein eine einen einem einer eines und oder aber doch denn wenn als wie dass daß ob weil so zu zum zur von vom mit nach bei aus auf an am in im ins für über unter vor zwischen durch gegen ohne um ich du er sie es wir ihr mich dich sich uns euch ihm ihn ihnen mein dein sein unser euer ist sind war waren bin bist sei gewesen wird werden wurde wurden hat habe haben hatte hatten kann können konnte muss müssen soll sollen will wollen nicht kein keine auch nur noch schon da hier dort dies diese dieser dieses diesem diesen was wer wen wem wo wann warum wieso welche welcher welches man etwas",
  hindi:
    "के का की को में से है हैं था थे थी और या पर ने यह वह ये वे इस उस जो तो ही भी कि क्या क्यों कैसे कब कहाँ कौन मैं हम तुम आप नहीं हो होता कर करने लिए एक",
  hungarian:
    "a az egy és vagy de ha is nem hogy van volt vannak voltak lesz lenni mint meg el ki be fel le ez az ezt azt ezek azok én te ő mi ti ők mit mi miért hogyan hol mikor ki melyik csak már még nagyon kell lehet",
  indonesian:
    "yang dan di ke dari untuk dengan pada adalah ini itu atau tidak juga akan oleh sebagai saya kami kita anda dia mereka apa siapa kapan mana bagaimana mengapa kenapa ada bisa dapat dalam sudah telah karena jika maka agar",
  italian:
    "il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle al allo alla ai agli alle dal dalla nel nella nei nelle sul sulla e ed o ma se che chi cui come quando dove perché quale quali cosa non più è sono era erano essere stato ho hai ha abbiamo hanno aveva mi ti si ci vi lo ne io tu lui lei noi voi loro mio tuo suo nostro vostro questo questa questi queste quello quella anche",
  japanese:
    "の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる です ます でし まし 何 なに なぜ どう どの どこ いつ 誰 それ あれ ですか ください",
  korean:
    "은 는 이 가 을 를 의 에 에서 와 과 도 로 으로 그 이것 저것 그것 나 너 우리 무엇 왜 어떻게 어디 언제 누가 있다 하다 및 또는 그리고 하지만",
  norwegian:
    "og i jeg det at en et den til er som på de med han av ikke der så var meg seg men ett har om vi min mitt ha hadde hun nå over da ved fra du ut sin dem oss opp man kan hans hvor eller hva skal selv her alle vil bli ble kunne inn når være kom noen noe ville etter denne dette hvorfor hvordan hvem",
  polish:
    "i w we z ze na do o od po za przez dla przy to ten ta te tego tej tym się nie jest są był była było być jak co kto gdzie kiedy dlaczego czy który która które ale lub albo że jako już tylko też tak a ja ty on ona my wy oni mnie mi go jej ich mój twój jego czego",
  portuguese:
    "o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sob sobre entre e ou mas se que quem qual quais como quando onde porque por quê não mais é são era eram ser foi está estão estava ter tem tinha há eu tu ele ela nós vós eles elas você vocês me te lhe meu minha teu seu sua nosso este esta esse essa isto isso aquele aquela ao à também já",
  romanian:
    "și în de la cu pe un o a al ale ai că să nu este sunt era erau fi fost mai din pentru ca sau dar dacă ce cine unde când cum care acest această aceste eu tu el ea noi voi ei ele îmi își am ai are au avea",
  russian:
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня еще ещё нет о из ему теперь когда даже ну ли если уже или ни быть был была были него до вас нибудь опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем сам чтоб чтобы без чего кто этот того потому этого какой какая какие почему зачем под это эта эти эту над об при про мой твой наш ваш",
  spanish:
    "el la los las lo un una unos unas de del a al en y e o u pero si que quien quién cual cuál cuáles como cómo cuando cuándo donde dónde por para porque qué con sin sobre entre no más es son era eran ser fue está están estaba he has ha hemos han había haber hay yo tú él ella nosotros vosotros ellos ellas usted ustedes me te se nos os le les mi mis tu tus su sus nuestro este esta estos estas ese esa eso esto aquel también ya muy",
  swedish:
    "och i att det en ett den till är som på de med han av för inte der var mig sig men har om vi min hade honom hon nu över då från du ut sin dem oss upp man kan hans där eller vad ska själv här alla vill blev kunde in när vara något skulle efter denna detta varför hur vem vilken",
  turkish:
    "ve bir bu da de için ile ne mi mı mu mü ama veya ya gibi daha çok en o şu ben sen biz siz onlar var yok değil olan olarak olduğu kadar sonra önce nasıl neden niçin nerede ne zaman kim hangi her ki ise diye",
  ukrainian:
    "і й та в у на з із зі до що як не це той ця ці він вона воно вони ми ви я ти його її їх мене тебе нас вас але або чи якщо коли де хто чому навіщо який яка яке які був була було були бути є від за по для про при без через над під між ще вже також тільки лише так щоб б би ж же нам вам",
  vietnamese:
    "và là của có cho không với các một những được này đó trong khi để người tôi bạn chúng ta họ nó gì nào sao như thế đâu ai bao giờ cũng đã đang sẽ thì mà nhưng hoặc hay từ đến ở về",
};

const languages = new Map(
  Object.entries(lists).map(([name, words]) => [name, new Set(words.split(" "))]),
);

/**
 * The function words among the words of a query, in the language that explains most of them. A word
 * such as "die" or "war" is grammar in one language and the topic in another.
 *
 * @param words - Lower case.
 */
export function functionWordsOf(words: readonly string[]): ReadonlySet<string> {
  const all = [...languages].map(([name, language]) => ({
    name,
    own: words.filter((word) => language.has(word)),
  }));
  const likely = all.filter(({ name, own }) => isEvidence(own, name === "english" ? 1 : 2));
  const most = Math.max(...likely.map(({ own }) => own.length));
  const best = likely.filter(({ own }) => own.length === most);
  // If two languages explain equally many, English wins, the language of code: "how do I go on".
  const english = best.filter(({ name }) => name === "english");
  return new Set((english.length > 0 ? english : best).flatMap(({ own }) => own));
}

/** "go" is Polish, "car" French and "c" a letter: one such word beside others is no evidence. */
function isEvidence(own: readonly string[], leastWords: number): boolean {
  const words = own.filter((word) => word.length > 1);
  return words.length >= leastWords || words.some((word) => /[^a-z]/.test(word));
}

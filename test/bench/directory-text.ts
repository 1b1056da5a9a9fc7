/** Words that real descriptions of podcasts are full of, most frequent first. */
const COMMON =
  `the and of to a in podcast with on for is we you your about this from that by our it show are new stories life world weekly news each
host conversations people what how all talk episode week join more interviews episodes as will at or culture music history business an be
one who but they has politics science daily health every discuss hosts their up sports time his can film comedy best love true crime best
not get listen radio let topics first have latest hosted make day explore art there love game tech home so out just books just football
just guests experts everything into two experience she way through women american real good mind us like know conversation ideas live tell
good series great sharing where media games education learn if year made funny success journey story space food personal bring questions
share thoughts advice help analysis stories things most university language law nature travel money leadership market school church faith
family future dive deep inside behind around current events interview fun wellness movie movies television review reviews fantasy design
marketing growth work study english community creative writers authors bible prayer message sermons pastor ministry god jesus`.split(
    /\s+/,
  )

const CATEGORIES =
  `Arts|Books|Design|Fashion & Beauty|Food|Performing Arts|Visual Arts|Business|Careers|Entrepreneurship|Investing|Management|Marketing
|Non-Profit|Comedy|Comedy Interviews|Improv|Stand-Up|Education|Courses|How To|Language Learning|Self-Improvement|Fiction|Comedy Fiction
|Drama|Science Fiction|Government|History|Health & Fitness|Alternative Health|Fitness|Medicine|Mental Health|Nutrition|Sexuality
|Kids & Family|Education for Kids|Parenting|Pets & Animals|Stories for Kids|Leisure|Animation & Manga|Automotive|Aviation|Crafts|Games
|Hobbies|Home & Garden|Video Games|Music|Music Commentary|Music History|Music Interviews|News|Business News|Daily News|Entertainment News
|News Commentary|Politics|Sports News|Tech News|Religion & Spirituality|Buddhism|Christianity|Hinduism|Islam|Judaism|Religion
|Spirituality|Science|Astronomy|Chemistry|Earth Sciences|Life Sciences|Mathematics|Natural Sciences|Nature|Physics|Social Sciences
|Society & Culture|Documentary|Personal Journals|Philosophy|Places & Travel|Relationships|Sports|Baseball|Basketball|Cricket
|Fantasy Sports|Football|Golf|Hockey|Rugby|Running|Soccer|Swimming|Tennis|Volleyball|Wilderness|Wrestling|Technology|True Crime|TV & Film
|After Shows|Film History|Film Interviews|Film Reviews|TV Reviews`
    .split('|')
    .map((name) => name.trim())

const KANA = [
  ...'のにはをたがでてとしれさあいうえおかきくけこなまみもらりるんアイウエオカキクコサシスタットドナニフマミムメラリルレンー',
]

/** Words beside the common ones: what is known of real catalogues is that there are about three for each podcast. */
const RARE_WORDS = 300_000
/** One podcast in fifty is Chinese, Japanese or Korean. */
export const CJK_EVERY = 50

export interface BenchPodcast {
  readonly url: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly tags: readonly string[]
}

/** A number from 0 to below 1, the same ones in every run. */
export type Chance = () => number

/** Mulberry32: fast, and random enough for invented texts. */
export function createChance(seed: number): Chance {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pick<T>(list: readonly T[], chance: Chance): T {
  const found = list[Math.floor(chance() * list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

export interface BenchTexts {
  /** All words there are, most frequent first. */
  readonly words: readonly string[]
  /** How many of them are real. */
  readonly common: number
  /** From 1; always the same one. */
  podcast(number: number): BenchPodcast
}

/** Podcasts as they are found in catalogues: words by Zipf's law, 40 to 80 in a description, a few tags each. */
export function createTexts(): BenchTexts {
  let dice = createChance(0)
  const chance = () => dice()
  const common = [...new Set(COMMON)]
  const words = [...common, ...inventWords(RARE_WORDS, new Set(common), chance)]
  const anyWord = byRank(words.length, 2.7, chance)
  // Titles and names are made of rarer words than sentences.
  const tellingWord = byRank(words.length - 40, 60, chance)
  const tag = byRank(CATEGORIES.length, 2, chance)
  const some = (least: number, most: number) => least + Math.floor(chance() * (most - least + 1))
  const many = <T>(count: number, make: () => T) => Array.from({ length: count }, make)
  const telling = () => capital(words[40 + tellingWord()] ?? '')
  const han = byRank(2500, 30, chance)
  const cjk = () => (chance() < 0.4 ? pick(KANA, chance) : String.fromCharCode(0x4e00 + ((han() * 7) % 20_000)))

  function title(): string {
    const made = many(some(1, 4), telling).join(' ')
    const roll = chance()
    if (roll < 0.15) return `The ${made} Podcast`
    if (roll < 0.3) return `${made} Podcast`
    if (roll < 0.4) return `The ${made} Show`
    return roll < 0.45 ? `${made} News` : made
  }

  return {
    words,
    common: common.length,
    podcast(number) {
      dice = createChance(number)
      const isCjk = number % CJK_EVERY === 0
      return {
        url: `https://feeds.example/${number}/feed.xml`,
        title: isCjk ? many(some(4, 12), cjk).join('') : title(),
        author: many(some(1, 3), telling).join(' '),
        description: isCjk
          ? many(some(80, 200), cjk).join('')
          : many(some(40, 80), () => words[anyWord()] ?? '').join(' '),
        tags: [...new Set(many(some(1, 5), () => CATEGORIES[tag()] ?? ''))],
      }
    },
  }
}

/** Ranks from 0 by Zipf's law; the larger `offset`, the more alike the first ones are. */
function byRank(count: number, offset: number, chance: Chance): () => number {
  const upTo = new Float64Array(count)
  let sum = 0
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + offset) ** 1.15
    upTo[rank] = sum
  }
  return () => {
    const wanted = chance() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((upTo[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

function inventWords(count: number, taken: Set<string>, chance: Chance): string[] {
  const onsets = 'b c d f g h k l m n p r s t v w br cl dr fl gr pr st tr ch sh'.split(' ')
  const nuclei = 'a e i o u a e i o u ai ea oo'.split(' ')
  const codas = ['', '', '', '', 'n', 'r', 's', 'l', 't', 'm']
  const syllable = () => pick(onsets, chance) + pick(nuclei, chance) + pick(codas, chance)
  const found: string[] = []
  while (found.length < count) {
    // Frequent words are short.
    const syllables = (found.length < 1000 ? 1 : 2) + Math.floor(chance() * 2)
    const word = Array.from({ length: syllables }, syllable).join('')
    if (word.length < 3 || taken.has(word)) continue
    taken.add(word)
    found.push(word)
  }
  return found
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

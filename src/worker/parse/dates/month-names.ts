const MONTHS = new Map(
  [
    'jan ene gen ian oca sty led tam янв січ яну ιαν',
    'feb fev sub lut uno hel фев лют φεβ φευ',
    'mar mrz maa mrt bre мар бер μαρ',
    'apr abr avr nis kwi dub huh апр кві απρ',
    'may mai maj mei mag kve tou маи мая тра μαι',
    'jun juin giu haz cze iun cvn cerven cervna kes июн чер юни ιουν',
    'jul juil lug tem lip iul cvc cervenec cervence hei июл лип юли ιουλ',
    'aug ago aou agu agt sie srp elo авг сер αυγ',
    'sep set eyl wrz szep zar syy сен вер сеп σεπ',
    'oct okt out ott eki paz rij lok окт жов οκτ',
    'nov kas lis marr ноя лис ное νοε',
    'dec dez dic des ara gru pro jou дек гру δεκ',
  ].flatMap((names, index) => names.split(' ').map((name) => [name.normalize('NFD'), String(index + 1)])),
)

/** Number of the month that a text names. The last one counts: in some languages a weekday begins like a month. */
export function monthIn(text: string): string | undefined {
  const words =
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  return words.map(monthOf).findLast(Boolean)
}

function monthOf(word: string): string | undefined {
  return MONTHS.get(word) ?? MONTHS.get(word.slice(0, 4)) ?? MONTHS.get(word.slice(0, 3))
}

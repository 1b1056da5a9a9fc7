/** A text by number, as `Intl.PluralRules` names the cases. `{n}` is the number. */
export interface Forms {
  readonly one: string
  readonly other: string
  readonly many?: string
}

/** Puts values in the places of a text: `{name}`. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}

/** The form for a number, with `{n}` filled in as people of the language write it. */
export function plural(forms: Forms, n: number, locale: string): string {
  const rule = new Intl.PluralRules(locale).select(n)
  const text = rule === 'one' ? forms.one : rule === 'many' ? (forms.many ?? forms.other) : forms.other
  return fill(text, { n: new Intl.NumberFormat(locale).format(n) })
}

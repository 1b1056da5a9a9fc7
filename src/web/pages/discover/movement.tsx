import { language, plural, t } from '../../text/index.ts'

/** How a place compares with that of a week ago, which is 0 if there was none. */
export function Movement({ place, before }: { place: number; before: number }) {
  const { isNew, up, down } = t().discover
  if (before === place) return null
  if (before === 0) return <span class="chip chip-good">{isNew}</span>
  const places = Math.abs(before - place)
  const text = plural(before > place ? up : down, places, language.value)
  return (
    <span class={`chip ${before > place ? 'chip-good' : ''}`} title={text}>
      <span aria-hidden="true">{before > place ? `↑ ${places}` : `↓ ${places}`}</span>
      <span class="hidden-text">{text}</span>
    </span>
  )
}

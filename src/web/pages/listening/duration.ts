import { fill, number, t } from '../../text/index.ts'

/** Minutes in words. */
export function duration(minutes: number): string {
  const { hours, hoursMinutes, minutes: few } = t().listening
  const whole = Math.round(minutes)
  if (whole < 60) return fill(few, { n: number(whole) })
  const h = Math.floor(whole / 60)
  return whole % 60 === 0 ? fill(hours, { n: number(h) }) : fill(hoursMinutes, { h: number(h), m: whole % 60 })
}

import { encode } from 'uqr'

export interface QrPath {
  /** Modules from edge to edge, the quiet zone included. */
  readonly size: number
  /** For `d` of an SVG path, one unit for a module. */
  readonly path: string
}

/** Modules that stay empty around a code, so that cameras find it (ISO 18004). */
const QUIET_ZONE = 4

/** The dark modules of a QR code, those side by side as one rectangle. */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const rows = data.map((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return { size, path: rows.flat().join('') }
}

/** Where dark modules begin and how many there are. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('')
  return [...text.matchAll(/1+/g)].map(({ index, 0: run }) => [index, run.length])
}

import { encode } from 'uqr'

export interface QrPath {
  /** Modules per side, including the quiet zone. */
  readonly size: number
  /** `d` attribute of an SVG path, with one unit per module. */
  readonly path: string
}

/** Width of the empty border in modules. Scanners need it to find the code (ISO 18004). */
const QUIET_ZONE = 4

/** Encodes a text as a QR code. Adjacent dark modules of a row become one rectangle. */
export function qrPath(text: string): QrPath {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  const rows = data.map((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return { size, path: rows.flat().join('') }
}

/** Returns the runs of dark modules in a row. */
function runsOf(row: readonly boolean[]): [start: number, length: number][] {
  const text = row.map((isDark) => (isDark ? '1' : '0')).join('')
  return [...text.matchAll(/1+/g)].map(({ index, 0: run }) => [index, run.length])
}

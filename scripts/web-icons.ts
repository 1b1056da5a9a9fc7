import { crc32, deflateSync } from 'node:zlib'
import { COLORS, MARK_SVG } from '../src/brand.ts'

/*
 * Icons of the installed web client: the mark in light colours on the accent colour. Systems need bitmaps of fixed
 * sizes, and Bun cannot draw, but the mark is only lines and a circle.
 */

interface IconOptions {
  /** Pixels per side. */
  readonly size: number
  /** If false, the icon is a full square, which the system crops to its own shape. */
  readonly isRounded: boolean
  /** Width of the mark as a fraction of the icon's. Systems may crop to a circle of 0.8 of the width. */
  readonly markWidth: number
}

type Point = readonly [x: number, y: number]
type Color = readonly number[]

/** Side length of the mark's coordinate system. */
const GRID = 24
/** Corner radius of a rounded icon, as a fraction of its width. */
const RADIUS = 0.22

export function drawIcon({ size, isRounded, markWidth }: IconOptions): Uint8Array {
  const { line, width, ball, radius } = readMark(MARK_SVG)
  const [ground = [], stair = [], warm = []] = [COLORS.accent[0], COLORS.ground[0], COLORS.warm[1]].map(colorOf)
  const [across, down] = [middle(line, 0), middle(line, 1)]
  /** Pixels per unit of the mark's grid. */
  const unit = (size * markWidth) / GRID

  return encodePng(size, (column, row) => {
    const [x, y] = [column + 0.5, row + 0.5]
    const point: Point = [(x - size / 2) / unit + across, (y - size / 2) / unit + down]
    let away = Number.POSITIVE_INFINITY
    for (let n = 1; n < line.length; n++)
      away = Math.min(away, distanceToLine(point, line[n - 1] ?? ball, line[n] ?? ball))
    const withStair = mix(ground, stair, coverage((away - width / 2) * unit))
    const color = mix(withStair, warm, coverage((distance(point, ball) - radius) * unit))
    return [...color, 255 * (isRounded ? coverage(outsideOfSquare(x, y, size)) : 1)].map(Math.round)
  })
}

/** Middle of a line, horizontally (0) or vertically (1). */
function middle(line: readonly Point[], axis: 0 | 1): number {
  const places = line.map((point) => point[axis])
  return (Math.min(...places) + Math.max(...places)) / 2
}

/** Coverage of a pixel by a figure whose edge is `away` pixels from the pixel's centre; negative inside the figure. */
function coverage(away: number): number {
  return Math.min(1, Math.max(0, 0.5 - away))
}

/** Distance from a point to a square with round corners. */
function outsideOfSquare(x: number, y: number, size: number): number {
  const straight = (0.5 - RADIUS) * size
  const outside = (at: number) => Math.max(0, Math.abs(at - size / 2) - straight)
  return Math.hypot(outside(x), outside(y)) - RADIUS * size
}

function mix(below: Color, above: Color, part: number): Color {
  return below.map((value, index) => value + ((above[index] ?? 0) - value) * part)
}

/** Reads the line and the circle of the mark, whose path has only horizontal and vertical segments. */
function readMark(svg: string) {
  const found = /d="([^"]+)".*stroke-width="([^"]+)".*cx="([^"]+)" cy="([^"]+)" r="([^"]+)"/.exec(svg)
  if (!found) throw new Error('the mark is not a line and a circle')
  const [width = 0, x = 0, y = 0, radius = 0] = found.slice(2).map(Number)
  const line: Point[] = []
  for (const [, step = '', numbers = ''] of (found[1] ?? '').matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const [first = 0, second = 0] = numbers.split(' ').map(Number)
    const [lastX, lastY] = line.at(-1) ?? [0, 0]
    if (step === 'M') line.push([first, second])
    else if (step === 'H') line.push([first, lastY])
    else if (step === 'V') line.push([lastX, first])
    else if (step === 'h') line.push([lastX + first, lastY])
    else throw new Error(`the mark has a step that is not drawn here: ${step}`)
  }
  return { line, width, ball: [x, y] as Point, radius }
}

function distance([x, y]: Point, [otherX, otherY]: Point): number {
  return Math.hypot(x - otherX, y - otherY)
}

function distanceToLine(point: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const length = Math.hypot(toX - fromX, toY - fromY)
  if (length === 0) return distance(point, [fromX, fromY])
  const along = ((point[0] - fromX) * (toX - fromX) + (point[1] - fromY) * (toY - fromY)) / length ** 2
  const part = Math.min(1, Math.max(0, along))
  return distance(point, [fromX + part * (toX - fromX), fromY + part * (toY - fromY)])
}

function colorOf(hex: string): Color {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** Encodes a square as PNG. `pixel` returns red, green, blue and opacity. */
function encodePng(size: number, pixel: (column: number, row: number) => Color): Uint8Array {
  const rows = Buffer.alloc(size * (1 + size * 4))
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) rows.set(pixel(column, row), row * (1 + size * 4) + 1 + column * 4)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // 8 bits per channel, RGBA.
  header.set([8, 6], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const packed = deflateSync(rows, { level: 9 })
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))])
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

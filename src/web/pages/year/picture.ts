import { artworkAddresses } from '../../components/podcast/artwork-addresses.ts'

/** Texts of a picture of a year. */
export interface Picture {
  readonly title: string
  readonly subtitle: string
  readonly total: string
  readonly facts: readonly { readonly name: string; readonly value: string }[]
  readonly topTitle: string
  readonly top: readonly { readonly url: string; readonly title: string; readonly note: string }[]
}

/** All lengths are in pixels. Four or five podcasts make a portrait that fits a phone screen; fewer make it shorter. */
const WIDTH = 1080
const EDGE = 84
/** Top of the card with the podcasts, the height of its heading, and the space below the podcasts. */
const CARD = 540
const HEADING = 96
const FOOT = 74
/** Maximum height of all podcasts together, and of one podcast. */
const ROWS = 640
const ROW = 200
/** Long texts are scaled down to this factor at most before they are truncated. */
const SMALLEST = 0.7

/**
 * Draws a picture in the colours of the page, as a PNG. The covers come from this server. Rejects if the browser has no
 * canvas or does not let pages read it.
 */
export async function drawPicture(picture: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const row = Math.min(ROW, ROWS / picture.top.length)
  const cardHeight = HEADING + picture.top.length * row
  canvas.width = WIDTH
  canvas.height = CARD + cardHeight + FOOT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw')
  const covers = await Promise.all(picture.top.map(({ url }) => loadCover(url)))
  draw(context, picture, covers, { row, cardHeight })
  return await new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('this browser cannot save the picture'))),
      'image/png',
    )
  })
}

async function loadCover(url: string): Promise<HTMLImageElement | undefined> {
  const image = new Image()
  image.src = artworkAddresses({ podcast: url }, 300)[0] ?? ''
  try {
    await image.decode()
    return image
  } catch {
    // The podcast has no picture; a coloured area replaces it.
    return undefined
  }
}

type Context = CanvasRenderingContext2D

interface Heights {
  readonly row: number
  readonly cardHeight: number
}

function draw(
  context: Context,
  picture: Picture,
  covers: readonly (HTMLImageElement | undefined)[],
  { row, cardHeight }: Heights,
): void {
  const { height } = context.canvas
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => resolved(style.getPropertyValue(name))
  const family = getComputedStyle(document.body).fontFamily
  const text = (words: string, x: number, y: number, size: number, weight: number, fill: string, width: number) => {
    context.font = `${weight} ${size}px ${family}`
    const fitting = Math.max(SMALLEST, Math.min(1, width / context.measureText(words).width))
    context.font = `${weight} ${size * fitting}px ${family}`
    context.fillStyle = fill
    context.fillText(shortened(context, words, width), x, y)
  }
  const [ink, muted, accent, surface, line] = ['ink', 'muted', 'accent', 'surface', 'line'].map((name) =>
    colour(`--${name}`),
  ) as [string, string, string, string, string]
  const inner = WIDTH - 2 * EDGE

  context.fillStyle = accent
  context.fillRect(0, 0, WIDTH, height)
  context.textBaseline = 'alphabetic'
  text(picture.title, EDGE, 150, 60, 700, surface, inner)
  text(picture.subtitle, EDGE, 206, 36, 500, surface, inner)
  text(picture.total, EDGE, 350, 116, 720, surface, inner)

  const column = inner / Math.max(1, picture.facts.length)
  for (const [index, { name, value }] of picture.facts.entries()) {
    text(value, EDGE + index * column, 450, 46, 680, surface, column - 24)
    text(name, EDGE + index * column, 492, 28, 500, surface, column - 24)
  }

  context.fillStyle = surface
  context.beginPath()
  context.roundRect(EDGE - 30, CARD, inner + 60, cardHeight, 32)
  context.fill()
  text(picture.topTitle, EDGE, CARD + 60, 34, 640, ink, inner)
  const side = row - 16
  for (const [index, { title, note }] of picture.top.entries()) {
    const y = CARD + HEADING - 4 + index * row
    context.save()
    context.beginPath()
    context.roundRect(EDGE, y, side, side, 18)
    context.clip()
    context.fillStyle = line
    context.fillRect(EDGE, y, side, side)
    const cover = covers[index]
    if (cover) context.drawImage(cover, EDGE, y, side, side)
    context.restore()
    const x = EDGE + side + 32
    text(title, x, y + side / 2 - 4, 38, 640, ink, WIDTH - EDGE - x)
    text(note, x, y + side / 2 + 40, 30, 500, muted, WIDTH - EDGE - x)
  }
  text('podstep', EDGE, height - 24, 30, 680, surface, inner)
}

/** Resolves a colour of the style sheet, such as `light-dark(…)`, to a value that the canvas accepts. */
function resolved(value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function shortened(context: Context, words: string, width: number): string {
  if (context.measureText(words).width <= width) return words
  const letters = [...words]
  while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > width) letters.pop()
  return `${letters.join('').trimEnd()}…`
}

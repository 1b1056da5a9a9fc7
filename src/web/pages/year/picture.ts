import { artworkAddresses } from '../../components/podcast/artwork-addresses.ts'

/** What a picture of a year shows, as texts. */
export interface Picture {
  readonly title: string
  readonly subtitle: string
  readonly total: string
  readonly facts: readonly { readonly name: string; readonly value: string }[]
  readonly topTitle: string
  readonly top: readonly { readonly url: string; readonly title: string; readonly note: string }[]
}

/** A portrait as phones show it whole. */
const WIDTH = 1080
const HEIGHT = 1350
const EDGE = 84
const COVER = 116

/**
 * Draws a picture in the colours of the page, as a PNG. The covers come from this server. Rejects if the browser cannot
 * draw, or keeps pages from reading what they have drawn.
 */
export async function drawPicture(picture: Picture): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = WIDTH
  canvas.height = HEIGHT
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw')
  const covers = await Promise.all(picture.top.map(({ url }) => loadCover(url)))
  draw(context, picture, covers)
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
    // The podcast has no picture; its place gets a colour.
    return undefined
  }
}

type Context = CanvasRenderingContext2D

function draw(context: Context, picture: Picture, covers: readonly (HTMLImageElement | undefined)[]): void {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => resolved(style.getPropertyValue(name))
  const family = getComputedStyle(document.body).fontFamily
  const text = (words: string, x: number, y: number, size: number, weight: number, fill: string, width: number) => {
    context.font = `${weight} ${size}px ${family}`
    context.fillStyle = fill
    context.fillText(shortened(context, words, width), x, y)
  }
  const [ground, ink, muted, accent, surface, line] = ['ground', 'ink', 'muted', 'accent', 'surface', 'line'].map(
    (name) => colour(`--${name}`),
  ) as [string, string, string, string, string, string]
  const inner = WIDTH - 2 * EDGE

  context.fillStyle = ground
  context.fillRect(0, 0, WIDTH, HEIGHT)
  context.textBaseline = 'alphabetic'
  text(picture.title, EDGE, 150, 60, 700, ink, inner)
  text(picture.subtitle, EDGE, 206, 36, 500, muted, inner)
  text(picture.total, EDGE, 350, 116, 720, accent, inner)

  const column = inner / Math.max(1, picture.facts.length)
  for (const [index, { name, value }] of picture.facts.entries()) {
    text(value, EDGE + index * column, 450, 46, 680, ink, column - 24)
    text(name, EDGE + index * column, 492, 28, 500, muted, column - 24)
  }

  context.fillStyle = surface
  context.strokeStyle = line
  context.lineWidth = 2
  context.beginPath()
  context.roundRect(EDGE - 30, 540, inner + 60, 728, 32)
  context.fill()
  context.stroke()
  text(picture.topTitle, EDGE, 600, 34, 640, ink, inner)
  for (const [index, { title, note }] of picture.top.entries()) {
    const y = 622 + index * (COVER + 12)
    context.save()
    context.beginPath()
    context.roundRect(EDGE, y, COVER, COVER, 18)
    context.clip()
    context.fillStyle = line
    context.fillRect(EDGE, y, COVER, COVER)
    const cover = covers[index]
    if (cover) context.drawImage(cover, EDGE, y, COVER, COVER)
    context.restore()
    const x = EDGE + COVER + 32
    text(title, x, y + 54, 38, 640, ink, WIDTH - EDGE - x)
    text(note, x, y + 98, 30, 500, muted, WIDTH - EDGE - x)
  }
  text('podstep', EDGE, HEIGHT - 28, 30, 680, muted, inner)
}

/** A colour of the style sheet, such as `light-dark(…)`, as the canvas understands it. */
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

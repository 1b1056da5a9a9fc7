import type { Browser } from 'playwright-core'
import { SHOWS } from '../test/web/support/demo-shows.ts'

type Show = (typeof SHOWS)[number]

const SIZE = 600

/** Draws covers of the sample podcasts, as PNG by slug, so that pictures in the documentation look like a real list. */
export async function drawCovers(browser: Browser): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } })
  const covers = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const show of SHOWS) {
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${coverOf(show)}`)
    covers.set(show.slug, new Uint8Array(await page.screenshot()))
  }
  await page.close()
  return covers
}

interface Look {
  /** Background, motif, and letters. */
  readonly colours: readonly [ground: string, motif: string, letters: string]
  readonly font: string
  /** Markup in a square of 100 by 100, in the colour of the motif unless it says otherwise. */
  readonly motif: string
}

const SERIF = 'Georgia, "Noto Serif", serif'
const SANS = '"Noto Sans", "Noto Sans CJK JP", sans-serif'

const VOICES = [6, 14, 24, 12, 28, 20, 30, 16, 24, 10, 5]

const times = (count: number, draw: (n: number) => string) => Array.from({ length: count }, (_, n) => draw(n)).join('')

const LOOKS: Readonly<Record<string, Look>> = {
  harbour: {
    colours: ['#0f3b4f', '#f2b544', '#fdf4de'],
    font: SERIF,
    motif: `<circle cx="74" cy="40" r="12"/>${times(5, (n) => `<path d="M-5 ${50 + n * 11}q13-9 26 0t26 0 26 0 26 0" fill="none" stroke="#5aa6b8" stroke-width="2.500" opacity="${1 - n * 0.16}"/>`)}`,
  },
  kitchen: {
    colours: ['#f4d9b8', '#c4512d', '#5b2413'],
    font: SERIF,
    motif: `<g transform="translate(0 8)"><path d="M22 52h56v8a20 20 0 0 1-20 20H42a20 20 0 0 1-20-20zM78 55h10v5H78z"/>${times(3, (n) => `<path d="M${36 + n * 14} 46c-4-6 4-9 0-16" fill="none" stroke="#c4512d" stroke-width="3"/>`)}</g>`,
  },
  night: {
    colours: ['#141a3c', '#f4e7b5', '#cdd6ff'],
    font: SANS,
    motif: `<circle cx="78" cy="38" r="11"/><circle cx="83" cy="35" r="10" fill="#141a3c"/>${times(9, (n) => `<path d="M${50 - n * 0.6 - 18} ${62 + n * 5}h${36 + n * 6}" transform="translate(${-n * 2.4})" stroke="#6d79c9" stroke-width="${0.8 + n * 0.2}"/>`)}<path d="M46 58 26 104M54 58l20 46" stroke="#f4e7b5" stroke-width="1.500"/>`,
  },
  orbit: {
    colours: ['#2b1f5c', '#ff8f6b', '#ffffff'],
    font: SANS,
    motif: `<circle cx="50" cy="60" r="16"/>${times(3, (n) => `<ellipse cx="50" cy="60" rx="${28 + n * 11}" ry="${9 + n * 4}" transform="rotate(-18 50 60)" fill="none" stroke="#b9a9ff" stroke-width="1.200"/>`)}<circle cx="86" cy="44" r="3.500" fill="#fff"/>`,
  },
  moss: {
    colours: ['#dfe8c8', '#3e6b34', '#24401f'],
    font: SERIF,
    motif: times(
      26,
      (n) =>
        `<circle cx="${(n * 37) % 104}" cy="${62 + ((n * 23) % 44)}" r="${5 + ((n * 7) % 11)}" opacity="${0.35 + (n % 4) * 0.2}"/>`,
    ),
  },
  ledger: {
    colours: ['#fbf6e6', '#0d6b4f', '#1d2b25'],
    font: SERIF,
    motif: `${times(9, (n) => `<path d="M8 ${44 + n * 6}h84" stroke="#cfc6a4" stroke-width=".8"/>`)}<path d="M10 90 30 74l16 8 20-24 24-12" fill="none" stroke="#0d6b4f" stroke-width="4"/><circle cx="90" cy="46" r="4"/>`,
  },
  sauna: {
    colours: ['#8c2f22', '#f6c9a0', '#fff3e6'],
    font: SANS,
    motif: times(
      6,
      (n) =>
        `<path d="M${14 + n * 15} 92c-10-14 10-22 0-38 -6-10 4-14 2-22" fill="none" stroke="#f6c9a0" stroke-width="4" stroke-linecap="round" opacity="${0.4 + (n % 3) * 0.3}"/>`,
    ),
  },
  tokyo: {
    colours: ['#f5f1ea', '#d5243f', '#1b1b1f'],
    font: SANS,
    motif: `<circle cx="50" cy="62" r="24"/>${times(10, (n) => `<path d="M${4 + n * 10} 100V${78 - ((n * 13) % 22)}h8V100z" fill="#1b1b1f"/>`)}`,
  },
  chess: {
    colours: ['#e9e2d4', '#2a2d31', '#2a2d31'],
    font: SERIF,
    motif: times(
      32,
      (n) => `<path d="M${(n % 4) * 25 + ((n >> 2) % 2) * 12.5} ${50 + (n >> 2) * 12.5}h12.500v12.500h-12.500z"/>`,
    ),
  },
  choir: {
    colours: ['#5b2466', '#ffd166', '#ffe9f6'],
    font: SANS,
    motif: VOICES.map(
      (height, n) => `<rect x="${9 + n * 7.6}" y="${64 - height}" width="4.600" height="${2 * height}" rx="2.300"/>`,
    ).join(''),
  },
  weather: {
    colours: ['#bfe0f2', '#ffffff', '#1e4d6b'],
    font: SANS,
    motif: `<circle cx="66" cy="46" r="15" fill="#ffc145"/><path d="M22 76a13 13 0 0 1 4-25 18 18 0 0 1 34 3 11 11 0 0 1 4 22z"/>${times(5, (n) => `<path d="M${28 + n * 8} 82l-3 10" stroke="#3d87b0" stroke-width="2.200" stroke-linecap="round"/>`)}`,
  },
  local: {
    colours: ['#efe9df', '#3b352e', '#3b352e'],
    font: SERIF,
    motif: `<path d="M10 50 50 36l40 14zM12 90h76v5H12z"/>${times(5, (n) => `<path d="M${16 + n * 15.5} 53h7v35h-7z"/>`)}`,
  },
}

/** Letters on one line, as wide as they may be. */
const LINE = 13

function coverOf({ slug, title }: Show): string {
  const look = LOOKS[slug]
  if (!look) throw new Error(`${slug} has no cover`)
  const [ground, motif, letters] = look.colours
  const lines = linesOf(title)
  const size = lines.some((line) => widthOf(line) > 9) ? 10.5 : 13
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 100 100">
<rect width="100" height="100" fill="${ground}"/><g fill="${motif}">${look.motif}</g>
<g fill="${letters}" font-family='${look.font}' font-weight="700" font-size="${size}" letter-spacing="-.2">
${lines.map((line, n) => `<text x="8" y="${17 + n * size * 1.02}">${line.replace('&', '&amp;')}</text>`).join('')}</g></svg>`
}

/** The words of a title on as few lines as they fit on. */
function linesOf(title: string): string[] {
  const lines: string[] = []
  // Japanese has no spaces; there the script changes where a word ends.
  for (const word of title.split(/ |(?<=\p{Script=Han})(?=\p{Script=Katakana})/u)) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`) <= LINE) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** In Latin letters; those of East Asia are twice as wide. */
function widthOf(text: string): number {
  return text.length + (text.match(/[\p{Script=Han}\p{Script=Katakana}ー]/gu)?.length ?? 0)
}

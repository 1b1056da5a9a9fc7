import { type DemoEpisode, pathOf, type Show } from './shows.ts'

/* Content of demo episodes: transcripts in WebVTT, and chapters with pictures. */

const SENTENCES = [
  'Good evening from the quay, where the last ferry has just tied up.',
  'You can hear the ropes, if you listen for them.',
  'Tonight we talk to somebody who has watched this harbour for thirty years.',
  'And who still gets up when a horn sounds in the wrong place.',
  'It is never the loud noises that wake me.',
  'It is the pump that stops.',
  'Tell us about the winter when the basin froze.',
  'We walked across, from the fish market to the customs house, and nobody had written down that it was forbidden.',
  'The ice held for nine days.',
  'On the tenth it sang.',
  'What does ice sound like when it sings?',
  'Like a saw, very far away, played by someone who is sorry.',
  'There is a chart on your wall with a pencil line across it.',
  'That line is where the sandbank was on the day I was born.',
  'It has moved a nautical mile since then, and so have I.',
  'Do the pilots still draw by hand?',
  'Only when they want to remember something.',
  'A screen shows you where you are.',
  'Paper shows you where you have been.',
  'We will be back in a moment, after the tide tables.',
] as const

const CHAPTERS = [
  'Good evening',
  'Thirty years of watching',
  'When the basin froze',
  'A line in pencil',
  'Tide tables',
] as const

/** Duration of a sentence in seconds. */
const SENTENCE = 6

export const CHAPTER_NUMBERS: readonly number[] = CHAPTERS.keys().toArray()

export function writeTranscript({ speakers }: Show, { seconds }: DemoEpisode): string {
  const cues = Array.from({ length: Math.floor(seconds / SENTENCE) }, (_, n) => {
    const speaker = speakers[Math.floor(n / 2) % speakers.length] ?? ''
    return `${time(n * SENTENCE)} --> ${time((n + 1) * SENTENCE - 0.5)}\n<v ${speaker}>${SENTENCES[n % SENTENCES.length]}`
  })
  return `WEBVTT\n\n${cues.join('\n\n')}\n`
}

export function writeChapters(show: Show, episode: DemoEpisode, base: string): string {
  const chapters = CHAPTERS.map((title, n) => ({
    startTime: Math.floor((episode.seconds / CHAPTERS.length) * n),
    title,
    img: base + pathOf.chapterPicture(show, episode, n),
    ...(n === 2 && { url: `${base}${pathOf.page(show)}#${episode.number}` }),
  }))
  return JSON.stringify({ version: '1.2.0', chapters })
}

function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(11, 23)
}

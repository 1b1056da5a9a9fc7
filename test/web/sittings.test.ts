import { describe, expect, test } from 'bun:test'
import { sittingsOf } from '../../src/web/pages/listening/sittings.ts'

const FOG = {
  podcast: 'https://feeds.example/harbour.xml',
  podcast_title: 'Harbour Talk',
  episode: 'https://cdn.example/fog.mp3',
  episode_title: 'Fog',
  has_picture: true,
}
const TIDE = { ...FOG, episode: 'https://cdn.example/tide.mp3', episode_title: 'Tide' }
const dayOf = (timestamp: string) => timestamp.slice(0, 10)

describe('the history has one entry', () => {
  test('for all reports of an episode on a day, sorted by the time of the last one', () => {
    const events = [
      { ...FOG, timestamp: '2026-11-21T10:30:00', started: 900, position: 1800, total: 1800, device: 'pixel' },
      { ...TIDE, timestamp: '2026-11-21T10:10:00', started: 0, position: 60, total: 600, device: 'pixel' },
      { ...FOG, timestamp: '2026-11-21T10:00:00', started: 0, position: 900, total: 1800, device: 'laptop' },
      { ...FOG, timestamp: '2026-11-20T10:00:00', position: 5 },
    ]
    expect(sittingsOf(events, dayOf)).toMatchObject([
      {
        ...{ episodeTitle: 'Fog', hasPicture: true, day: '2026-11-21', seconds: 1800, isFinished: true },
        ...{ devices: ['pixel', 'laptop'], last: '2026-11-21T10:30:00' },
      },
      { episodeTitle: 'Tide', day: '2026-11-21', seconds: 60, isFinished: false, position: 60, total: 600 },
      {
        ...{ episodeTitle: 'Fog', day: '2026-11-20', seconds: 0, isFinished: false },
        ...{ position: 5, total: undefined, devices: [] },
      },
    ])
  })

  test.each([
    ['overlaps once', '0-100 50-120 60-80', 120],
    ['separate parts', '500-600 0-100', 200],
    ['no jump back', '100-40', 0],
    ['nothing without a start', '-40', 0],
  ] as const)('that counts %s', (_, stretches, seconds) => {
    const events = stretches.split(' ').map((stretch) => {
      const [started = '', position] = stretch.split('-')
      const heard = { ...FOG, timestamp: '2026-11-21T10:00:00', position: Number(position) }
      return started === '' ? heard : { ...heard, started: Number(started) }
    })
    expect(sittingsOf(events, dayOf)[0]?.seconds).toBe(seconds)
  })
})

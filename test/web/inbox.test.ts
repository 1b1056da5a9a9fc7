import { expect, test } from 'bun:test'
import { groupByDay } from '../../src/web/pages/inbox/days.ts'
import type { ListedEpisode } from '../../src/web/store/episodes/lists.ts'

/** In local time. */
const NOW = new Date(2026, 2, 4, 12)

function released(...[day, hour]: [day: number, hour: number]): ListedEpisode {
  const time = new Date(2026, 2, day, hour).toISOString().slice(0, 19)
  return {
    podcast: { url: 'https://feeds.example/a', title: 'A', logo_url: '', artwork: '' },
    episode: {
      ...{ title: time, url: time, website: '', mygpo_link: '', guid: time },
      ...{ released: time, duration: null, image_url: '', has_picture: false },
    },
    state: 'new',
  }
}

test.each([
  ['en', ['Today', 'Yesterday', 'Friday', 'Wednesday, February 25', 'Wednesday, December 31, 2025']],
  ['de', ['Heute', 'Gestern', 'Freitag', 'Mittwoch, 25. Februar', 'Mittwoch, 31. Dezember 2025']],
])('episodes are grouped by day (%s)', (locale, names) => {
  const items = [released(4, 9), released(4, 0), released(3, 23), released(-1, 8), released(-3, 8), released(-59, 8)]
  const days = groupByDay(items, NOW, locale)
  expect(days.map(({ name }) => name)).toEqual(names)
  expect(days.map((day) => day.items.length)).toEqual([2, 1, 1, 1, 1])
})

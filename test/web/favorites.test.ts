import { expect, test } from 'bun:test'
import { type Favorite, matching, podcastsOf, sortFavorites } from '../../src/web/pages/favorites/list.ts'

function favorite(title: string, podcast: string, released = ''): Favorite {
  const url = `https://media.example/${title}.mp3`
  return {
    ...{ title, url, released, podcast_title: podcast, podcast_url: `https://feeds.example/${podcast}` },
    ...{ guid: '', duration: null, size: null, mime_type: '', description: '', website: '', mygpo_link: '' },
    ...{ has_picture: false, image_url: '', chapters_url: '', transcript_url: '' },
  }
}

const FOG = favorite('Fog', 'Harbour', '2025-03-02T08:00:00')
const CHAIRS = favorite('Two chairs', 'Kitchen', '2025-01-01T08:00:00')
const SALT = favorite('Sål̈t', 'Harbour', '2025-02-01T08:00:00')
/** An episode of which the server knows only the URLs. */
const LOST = favorite('Lost', 'Ålesund')
/** In the order of the server, latest star first. */
const ALL = [CHAIRS, LOST, FOG, SALT]

const titles = (list: readonly Favorite[]) => list.map(({ title }) => title)

test('favorites are found by words of their titles, ignoring case and accents', () => {
  const found = (text: string, podcast = '') => titles(matching(ALL, { text, podcast }))
  expect(found(' ')).toEqual(titles(ALL))
  expect(found('HARB fo')).toEqual(['Fog'])
  expect(found('salt')).toEqual([SALT.title])
  expect(found('ales')).toEqual(['Lost'])
  expect(found('chairs harbour')).toEqual([])
  expect(found('', FOG.podcast_url)).toEqual(['Fog', SALT.title])
  expect(found('chairs', FOG.podcast_url)).toEqual([])
})

test('favorites are sorted by star, by release date with unknown ones last, or by podcast', () => {
  const sorted = (order: Parameters<typeof sortFavorites>[1]) => titles(sortFavorites(ALL, order, 'en'))
  expect(sorted('starred')).toEqual(titles(ALL))
  expect(sorted('newest')).toEqual(['Fog', SALT.title, 'Two chairs', 'Lost'])
  expect(sorted('oldest')).toEqual(['Two chairs', SALT.title, 'Fog', 'Lost'])
  expect(sorted('podcast')).toEqual(['Lost', 'Fog', SALT.title, 'Two chairs'])
})

test('the podcasts of favorites have counts and are sorted by title', () => {
  const counted = podcastsOf(ALL, 'en').map(({ title, count }) => `${title} ${count}`)
  expect(counted).toEqual(['Ålesund 1', 'Harbour 2', 'Kitchen 1'])
})

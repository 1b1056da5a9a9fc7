import { useMemo } from 'preact/hooks'
import { useDeviceCaptions } from '../../components/device.tsx'
import { Carousel } from '../../components/layout/carousel.tsx'
import { PlayList } from '../../components/player/play-list.ts'
import { EpisodeRow } from '../../components/podcast/episode-row.tsx'
import { t } from '../../locales/index.ts'
import { begunAnywhere, keyOf, newest, toPlayable } from '../../store/episodes/lists.ts'
import { accountKey, href } from '../../store/paths.ts'
import { ownName } from '../../store/session.ts'
import { formatVisits, isSince, look } from './visits.ts'

/** Days after which nobody would call an episode new. */
const NEW_DAYS = 30

/** Episodes that were begun on any device. Nothing if there are none. */
export function ContinueListening() {
  const deviceName = useDeviceCaptions()
  const items = begunAnywhere.value ?? []
  if (items.length === 0) return null
  return (
    <PlayList.Provider value={() => items.map(toPlayable)}>
      <Carousel title={t('home.continue')}>
        {items.map((item) => (
          <EpisodeRow key={keyOf(item)} item={item} deviceName={deviceName} isTile />
        ))}
      </Carousel>
    </PlayList.Provider>
  )
}

/** The newest episodes that were not played. Those that came since the last visit have a dot. */
export function NewEpisodes() {
  const deviceName = useDeviceCaptions()
  const visits = useMemo(() => {
    const key = accountKey('visits', ownName())
    const looked = look(localStorage.getItem(key), Date.now())
    localStorage.setItem(key, formatVisits(looked))
    return looked
  }, [newest.value.value])
  const oldest = Date.now() - NEW_DAYS * 86_400_000
  const isBegun = new Set(begunAnywhere.value?.map(keyOf))
  const items = (newest.value.value ?? [])
    .map((item) => ({ item, released: Date.parse(`${item.episode.released}Z`) }))
    .filter(({ item, released }) => released > oldest && !isBegun.has(keyOf(item)))
  if (items.length === 0) return null
  return (
    <PlayList.Provider value={() => items.map(({ item }) => toPlayable(item))}>
      <Carousel
        title={t('home.newEpisodes')}
        more={
          <a class="small" href={href('/inbox')}>
            {t('home.allNew')}
          </a>
        }
      >
        {items.map(({ item, released }) => (
          <EpisodeRow key={keyOf(item)} item={item} deviceName={deviceName} isNews={isSince(released, visits)} isTile />
        ))}
      </Carousel>
    </PlayList.Provider>
  )
}

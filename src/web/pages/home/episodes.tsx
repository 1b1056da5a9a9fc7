import { useDeviceCaptions } from '../../components/device.tsx'
import { Carousel } from '../../components/layout/carousel.tsx'
import { PlayList } from '../../components/player/play-list.ts'
import { EpisodeRow } from '../../components/podcast/episode-row.tsx'
import { t } from '../../locales/index.ts'
import { inProgressAnywhere, keyOf, newest, toPlayable } from '../../store/episodes/lists.ts'
import { href } from '../../store/paths.ts'

/** Days for which an episode counts as new. */
const NEW_DAYS = 30

/** Episodes in progress on any device. Renders nothing if there are none. */
export function ContinueListening() {
  const deviceName = useDeviceCaptions()
  const items = inProgressAnywhere.value ?? []
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

/** The newest episodes that the user has not started. */
export function NewEpisodes() {
  const deviceName = useDeviceCaptions()
  const oldest = Date.now() - NEW_DAYS * 86_400_000
  const isBegun = new Set(inProgressAnywhere.value?.map(keyOf))
  const items = (newest.value.value ?? []).filter(
    (item) => Date.parse(`${item.episode.released}Z`) > oldest && !isBegun.has(keyOf(item)),
  )
  if (items.length === 0) return null
  return (
    <PlayList.Provider value={() => items.map(toPlayable)}>
      <Carousel
        title={t('home.newEpisodes')}
        more={
          <a class="small" href={href('/inbox')}>
            {t('home.allNew')}
          </a>
        }
      >
        {items.map((item) => (
          <EpisodeRow key={keyOf(item)} item={item} deviceName={deviceName} isTile />
        ))}
      </Carousel>
    </PlayList.Provider>
  )
}

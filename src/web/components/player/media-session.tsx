import { effect, signal } from '@preact/signals'
import type { Engine } from '../../store/playback/engine.ts'
import { BACK, FORWARD } from '../../store/playback/speeds.ts'
import { type Playable, player } from '../../store/player.ts'
import {
  type ArtworkSize,
  artworkAddresses,
  type Pictured,
  type PicturedChapter,
} from '../podcast/artwork-addresses.ts'

/** Current chapter, if it has a picture. */
export const picturedChapter = signal<PicturedChapter | undefined>(undefined)

/** Shows the episode in the system's media controls, and lets media keys and headphones control the player. */
export function followMediaKeys(audio: HTMLAudioElement, engine: Engine): void {
  if (!('mediaSession' in navigator)) return
  const session = navigator.mediaSession
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: () => engine.resume(),
    pause: () => engine.pause(),
    stop: () => engine.close(),
    seekbackward: ({ seekOffset }) => engine.seek(audio.currentTime - (seekOffset ?? BACK)),
    seekforward: ({ seekOffset }) => engine.seek(audio.currentTime + (seekOffset ?? FORWARD)),
    seekto: ({ seekTime }) => engine.seek(seekTime ?? audio.currentTime),
    // Headphones have these keys instead of keys for seeking.
    previoustrack: () => engine.seek(audio.currentTime - BACK),
    nexttrack: () => engine.seek(audio.currentTime + FORWARD),
  }
  for (const [action, handle] of Object.entries(handlers)) {
    try {
      session.setActionHandler(action as MediaSessionAction, handle)
    } catch {
      // The browser does not support the action.
    }
  }
  effect(() => {
    const playing = player.playing.value
    session.playbackState = playing ? (playing.status === 'playing' ? 'playing' : 'paused') : 'none'
  })
  let title: string | undefined
  let shown: string | undefined
  effect(() => {
    const episode = player.playing.value?.episode
    const chapter = picturedChapter.value?.episode === episode?.url ? picturedChapter.value : undefined
    if (episode?.url !== title) {
      title = episode?.url
      shown = undefined
      session.metadata = episode ? metadataOf(episode, { podcast: episode.podcast }) : null
    }
    const pictured = episode && {
      ...{ podcast: episode.podcast, chapter },
      episode: episode.hasPicture ? episode.url : undefined,
    }
    const best = pictured && artworkAddresses(pictured, 300)[0]
    if (!best || best === shown) return
    shown = best
    // Systems do not report pictures that fail to load, so the podcast's is replaced only once a better one has loaded.
    const picture = new Image()
    picture.onload = () => {
      if (shown === best) session.metadata = metadataOf(episode, pictured)
    }
    picture.src = best
  })
  for (const event of ['loadedmetadata', 'seeked', 'ratechange', 'play', 'pause'])
    audio.addEventListener(event, () => {
      const { duration, currentTime, playbackRate } = audio
      // A call without arguments clears the state of the previous episode.
      if (!Number.isFinite(duration)) return session.setPositionState()
      session.setPositionState({ duration, playbackRate, position: Math.min(currentTime, duration) })
    })
}

function metadataOf({ title, podcastTitle }: Playable, pictured: Pictured): MediaMetadata {
  const sizes: readonly ArtworkSize[] = [128, 300, 600]
  return new MediaMetadata({
    title,
    artist: podcastTitle,
    artwork: sizes.map((size) => ({
      // The system needs an absolute address.
      src: new URL(artworkAddresses(pictured, size)[0] ?? '', document.baseURI).href,
      sizes: `${size}x${size}`,
      type: 'image/webp',
    })),
  })
}

import { effect } from '@preact/signals'
import type { Engine } from '../../store/playback/engine.ts'
import { BACK, FORWARD } from '../../store/playback/speeds.ts'
import { type Playable, player } from '../../store/player.ts'
import { type ArtworkSize, artworkAddresses } from '../podcast/artwork-addresses.ts'

/** Shows the episode where the system shows what is playing, and lets its keys and headphones control the player. */
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
    // Headphones have these instead of keys to seek.
    previoustrack: () => engine.seek(audio.currentTime - BACK),
    nexttrack: () => engine.seek(audio.currentTime + FORWARD),
  }
  for (const [action, handle] of Object.entries(handlers)) {
    try {
      session.setActionHandler(action as MediaSessionAction, handle)
    } catch {
      // This browser does not know the action.
    }
  }
  effect(() => {
    const playing = player.playing.value
    session.playbackState = playing ? (playing.status === 'playing' ? 'playing' : 'paused') : 'none'
  })
  let shown: string | undefined
  effect(() => {
    const episode = player.playing.value?.episode
    if (episode?.url === shown) return
    shown = episode?.url
    session.metadata = episode ? metadataOf(episode, undefined) : null
    if (!episode?.hasPicture) return
    // Systems do not tell that they could not load a picture, so the podcast's is replaced once the episode's is there.
    const picture = new Image()
    picture.onload = () => {
      if (shown === episode.url) session.metadata = metadataOf(episode, episode.url)
    }
    picture.src = artworkAddresses({ podcast: episode.podcast, episode: episode.url }, 300)[0] ?? ''
  })
  for (const event of ['loadedmetadata', 'seeked', 'ratechange', 'play', 'pause'])
    audio.addEventListener(event, () => {
      const { duration, currentTime, playbackRate } = audio
      // Without arguments it forgets what it has been told of the episode before.
      if (!Number.isFinite(duration)) return session.setPositionState()
      session.setPositionState({ duration, playbackRate, position: Math.min(currentTime, duration) })
    })
}

/** What the system shows, with the picture of an episode, given by its media URL, or of the podcast. */
function metadataOf({ title, podcastTitle, podcast }: Playable, pictured: string | undefined): MediaMetadata {
  const sizes: readonly ArtworkSize[] = [128, 300, 600]
  return new MediaMetadata({
    title,
    artist: podcastTitle,
    artwork: sizes.map((size) => ({
      // The address is relative to the base of the page, which the system does not know.
      src: new URL(artworkAddresses({ podcast, episode: pictured }, size)[0] ?? '', document.baseURI).href,
      sizes: `${size}x${size}`,
      type: 'image/webp',
    })),
  })
}

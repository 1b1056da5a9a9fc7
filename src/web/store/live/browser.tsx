import { computed, effect } from '@preact/signals'
import { call, requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { BASE } from '../paths.ts'
import { ownName } from '../session.ts'
import { createLive, type LiveParts, type StreamEvents, type TabMessage, tellListeners } from './live.ts'

let isFollowing = false

/** Keeps a stream, or what takes its place, for the account that is signed in, from now on. */
export function followHints(): void {
  if (isFollowing) return
  isFollowing = true
  // The account itself is loaded again now and then.
  const name = computed(ownName)
  effect(() => (name.value === '' ? undefined : begin(`podstep.live${BASE} ${name.value}`)))
}

function begin(name: string): () => void {
  const channel = new BroadcastChannel(name)
  const parts: LiveParts = {
    openStream,
    checkSession: () => call('getOwnAccount'),
    lead: (begin) => lead(name, begin),
    isShared: 'locks' in navigator,
    tell: (message) => channel.postMessage(message),
    later(milliseconds, work) {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
  }
  const live = createLive(parts, tellListeners)
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => live.hear(data))
  const look = () => live.setVisible(document.visibilityState === 'visible')
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    live.stop()
    channel.close()
  }
}

function openStream({ onReady, onHint, onSign, onEnd }: StreamEvents): () => void {
  const source = new EventSource(requestUrl(ADDRESSES.watchAccount[1]))
  source.addEventListener('ready', () => {
    onSign()
    onReady()
  })
  source.addEventListener('heartbeat', onSign)
  source.addEventListener('hint', ({ data }: MessageEvent<string>) => {
    onSign()
    onHint(JSON.parse(data))
  })
  // Left to itself, the browser would connect again every few seconds for ever.
  source.addEventListener('error', onEnd)
  return () => source.close()
}

/** By a lock, which browsers know only where the connection is secure. Elsewhere each tab leads itself. */
function lead(name: string, begin: () => void): () => void {
  if (!('locks' in navigator)) {
    begin()
    return () => undefined
  }
  const end = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  navigator.locks
    .request(name, { signal: end.signal }, () => {
      begin()
      return promise
    })
    .catch(() => undefined)
  return () => {
    end.abort()
    resolve()
  }
}

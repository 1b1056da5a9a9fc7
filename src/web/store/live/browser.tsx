import { computed, effect } from '@preact/signals'
import { call, requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { BASE } from '../paths.ts'
import { ownName } from '../session.ts'
import { createLive, type LiveParts, notifyListeners, type StreamEvents, type TabMessage } from './live.ts'

let isFollowing = false

/** Starts following hints for the signed-in user, across changes of user. Later calls do nothing. */
export function followHints(): void {
  if (isFollowing) return
  isFollowing = true
  // Depend on the name only, because `account` is reloaded now and then.
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
    broadcast: (message) => channel.postMessage(message),
    later(milliseconds, work) {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
  }
  const live = createLive(parts, notifyListeners)
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
  // `onEnd` closes the source, as the browser would otherwise reconnect every few seconds.
  source.addEventListener('error', onEnd)
  return () => source.close()
}

/** Elects a leader by a Web Lock, which browsers offer only in secure contexts. Otherwise each tab leads. */
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

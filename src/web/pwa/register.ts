/** Milliseconds after the page has loaded: the worker fetches the files of all pages, and this one comes first. */
const DELAY = 1000

/** Starts the service worker. Browsers have them on encrypted addresses and on this machine only. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return
  const start = () => setTimeout(() => void register(), DELAY)
  if (document.readyState === 'complete') start()
  else addEventListener('load', start, { once: true })
}

async function register(): Promise<void> {
  const { serviceWorker } = navigator
  try {
    const isFirst = serviceWorker.controller === null
    const isInCharge = new Promise((resolve) => {
      serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    })
    await serviceWorker.register('sw.js', { scope: './' })
    if (!isFirst) return
    await isInCharge
    // The worker keeps what passes it, such as the language, and this page has loaded its files before there was one.
    for (const { name } of performance.getEntriesByType('resource')) if (name.includes('/a/')) await fetch(name)
  } catch {
    // Without it everything works as long as the server can be reached.
  }
}

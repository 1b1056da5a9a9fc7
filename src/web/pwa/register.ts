/** Milliseconds after page load, as the worker fetches the files of all pages and must not slow down this one. */
const DELAY = 1000

/** Registers the service worker. Browsers support them only over HTTPS and on localhost. */
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
    // This page loaded its files before there was a worker. Fetch them again, so that the worker caches them.
    for (const { name } of performance.getEntriesByType('resource')) if (name.includes('/a/')) await fetch(name)
  } catch {
    // The client works without it while the server is reachable.
  }
}

import { memoryStorage } from './storage.ts'

/** What code of the client finds in a browser as soon as it is loaded. Imported before that code. */
Object.assign(globalThis, {
  document: { baseURI: 'http://localhost/', documentElement: {} },
  localStorage: memoryStorage(),
})

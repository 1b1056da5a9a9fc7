import { memoryStorage } from './storage.ts'

/** Globals that modules of the client need when they are loaded. To be imported before them. */
Object.assign(globalThis, {
  document: { baseURI: 'http://localhost/', documentElement: {} },
  localStorage: memoryStorage(),
})

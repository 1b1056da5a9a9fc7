/** What code of the client finds in a browser as soon as it is loaded. Imported before that code. */

const stored = new Map<string, string>()

Object.assign(globalThis, {
  document: { baseURI: 'http://localhost/', documentElement: {} },
  localStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    clear: () => stored.clear(),
    key: (index: number) => [...stored.keys()][index] ?? null,
    get length() {
      return stored.size
    },
  },
})

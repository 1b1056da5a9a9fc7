/** A `Storage` backed by a map that tests may read and change. */
export function memoryStorage(stored = new Map<string, string>()): Storage {
  let keys: readonly string[] = []
  return {
    getItem: (name) => stored.get(name) ?? null,
    setItem(name, text) {
      keys = []
      stored.set(name, text)
    },
    removeItem(name) {
      keys = []
      stored.delete(name)
    },
    clear: () => stored.clear(),
    key(index) {
      if (keys.length !== stored.size) keys = [...stored.keys()]
      return keys[index] ?? null
    },
    get length() {
      return stored.size
    },
  }
}

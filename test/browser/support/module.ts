import type { Page } from 'playwright-core'

/** A module of the web client for a page that has nothing else, for what needs the parsers of a browser. */
export interface LoadedModule {
  /** What the exported function `name` answers, as JSON can tell it; without `Map`s, which become arrays of pairs. */
  call(name: string, ...values: readonly unknown[]): Promise<unknown>
}

/** Loads the module at `path` in `page`, with what it imports. */
export async function loadModule(page: Page, path: string): Promise<LoadedModule> {
  const { outputs } = await Bun.build({ entrypoints: [path], target: 'browser' })
  const code = (await outputs[0]?.text()) ?? ''
  const address = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  return {
    call: (name, ...values) =>
      page.evaluate<unknown>(
        `import(${JSON.stringify(address)}).then((module) => {
          const plain = (value) => value instanceof Map ? [...value] : Array.isArray(value) ? value.map(plain) : value
          return plain(module[${JSON.stringify(name)}](...${JSON.stringify(values)}))
        })`,
      ),
  }
}

import type { Database } from 'bun:sqlite'

/** Every way of executing a statement that the store uses. */
const EXECUTIONS = ['get', 'all', 'run', 'values'] as const

type Translate = (error: unknown) => unknown

/**
 * From now on preparing and executing a statement on `db` throws what `translate` makes of the driver's error, so that no method of the
 * store has to deal with a failing disk. The driver keeps these methods on each statement, which makes it cheaper to replace them than
 * to go around them.
 */
export function guardStatements(db: Database, translate: Translate): void {
  guard(db, 'prepare', translate, (statement) => {
    for (const name of EXECUTIONS) guard(statement, name, translate)
  })
}

function guard(target: object, name: string, translate: Translate, prepared?: (result: object) => void): void {
  const method: unknown = Reflect.get(target, name)
  if (typeof method !== 'function') throw new TypeError(`${name} is no method`)
  Object.defineProperty(target, name, {
    configurable: true,
    writable: true,
    value: (...args: readonly unknown[]): unknown => {
      try {
        const result = method.apply(target, args)
        prepared?.(result)
        return result
      } catch (error) {
        throw translate(error)
      }
    },
  })
}

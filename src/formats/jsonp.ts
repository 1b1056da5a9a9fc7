import { invalid } from '../domain/errors.ts'
import type { ListWriter } from './list-writer.ts'

const FUNCTION_NAME = /^[A-Za-z0-9_]+$/

/**
 * `name(json)` for suffix jsonp (protocol.md 2.3), of what `writer` writes; `name` comes from the query parameter `jsonp`.
 * Throws validation_failed (field `jsonp`) if it is missing or has other characters than ASCII letters, digits and `_`.
 */
export function jsonpWriter<T>(name: string | undefined, { before, write, after }: ListWriter<T>): ListWriter<T> {
  if (name === undefined || !FUNCTION_NAME.test(name)) {
    throw invalid('jsonp', 'jsonp must name a function: letters, digits and "_"')
  }
  return {
    before: `${name}(${before}`,
    // Line ends in scripts older than ES2019, though not in JSON.
    write: (items, isFirst) => write(items, isFirst).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'),
    after: `${after})`,
  }
}

import { invalid } from '../domain/errors.ts'

const FUNCTION_NAME = /^[A-Za-z0-9_]+$/

/**
 * `name(json)` for suffix jsonp (protocol.md 2.3); `name` comes from the query parameter `jsonp`.
 * Throws validation_failed (field `jsonp`) if it is missing or has other characters than ASCII letters, digits and `_`.
 */
export function wrapJsonp(name: string | undefined, json: string): string {
  if (name === undefined || !FUNCTION_NAME.test(name)) {
    throw invalid('jsonp', 'jsonp must name a function: letters, digits and "_"')
  }
  // Line ends in scripts older than ES2019, though not in JSON.
  return `${name}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')})`
}

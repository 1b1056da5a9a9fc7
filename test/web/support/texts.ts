/** Every text of a language by its path: `home.orders.title`. */
export function textsOf(part: object, path: readonly string[] = []): Map<string, string> {
  return new Map(
    Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
      const place = [...path, key]
      if (typeof value === 'string') return [[place.join('.'), value] as const]
      return typeof value === 'object' && value !== null ? [...textsOf(value, place)] : []
    }),
  )
}

import { isShort, type List } from '../../src/domain/shared/lists.ts'

/** All of a list, however long. */
export function whole<T>(list: List<T> | undefined): T[] {
  if (list === undefined) return []
  return isShort(list) ? [...list] : [...list.pieces].flat()
}

import { t } from 'elysia'
import { DomainError, invalid } from '../../domain/shared/errors.ts'
import { splitSuffix } from '../../formats/negotiate.ts'
import { objectSchema } from '../spec/shared/schema.ts'

/** `…/{username}.json`: the suffix is part of the parameter. */
export const UserFile = objectSchema({ username: t.String({ description: 'User name and format suffix.' }) })

/** `…/{username}/{device}.json` */
export const DeviceFile = objectSchema({
  username: t.String(),
  device: t.String({ description: 'Device ID and format suffix.' }),
})

/** `…/{username}/{scope}.json` */
export const ScopeFile = objectSchema({
  username: t.String(),
  scope: t.String({ description: 'Scope and format suffix.' }),
})

/** `…/{id}` */
export const IdPath = objectSchema({ id: t.String() })

/** The number in a path segment; throws `validation_failed` for anything else. */
export function parseId(segment: string): number {
  if (!/^\d{1,15}$/.test(segment)) throw invalid('id', 'id must be a number')
  return Number(segment)
}

/** The name in a last path segment that must end with `.json`; anything else is not a resource. */
export function jsonName(segment: string): string {
  const { name, suffix } = splitSuffix(segment)
  if (suffix !== 'json') throw new DomainError('not_found', 'no such resource')
  return name
}

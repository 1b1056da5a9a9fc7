import { hash } from 'node:crypto'

/** Thrown if the database cannot be used. The message says why and what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

export class NewerDatabase extends UnusableDatabase {
  readonly #what: string

  constructor(what: string, copy?: string) {
    const backup =
      copy === undefined
        ? 'restore a backup made before it'
        : `go back to the copy made before it: podstep restore ${copy}`
    super(`${what}run that version, or ${backup}`)
    this.#what = what
  }

  withCopy(copy: string | undefined): NewerDatabase {
    return new NewerDatabase(this.#what, copy)
  }
}

/** Row of `schema_migrations`. */
export interface AppliedRow {
  readonly name: string
  readonly sha256: string
  /** Version of podstep that applied it. */
  readonly version: string
}

interface KnownMigration {
  readonly name: string
  readonly sql: string
}

/**
 * Returns the pending migrations. `applied` must be ordered by name. `unreleased` is the message for a database with a
 * different first migration. Throws `NewerDatabase` and `UnusableDatabase`.
 */
export function findPending<Known extends KnownMigration>(
  applied: readonly AppliedRow[],
  { migrations, version, unreleased }: { migrations: readonly Known[]; version: string; unreleased?: string },
): Known[] {
  applied.forEach((row, index) => {
    const known = migrations[index]
    if (!known)
      throw new NewerDatabase(
        `the database was written by podstep ${applied.at(-1)?.version} (it has migration "${row.name}", this is version ${version}); `,
      )
    if (known.name !== row.name || fingerprint(known.sql) !== row.sha256)
      throw new UnusableDatabase((index === 0 ? unreleased : undefined) ?? unknownMigration(row.name))
  })
  return migrations.slice(applied.length)
}

function unknownMigration(name: string): string {
  return `migration "${name}" of the database differs from the one in this version`
}

/** Returns the SHA-256 of a migration's text, ignoring CR in line ends. */
export function fingerprint(sql: string): string {
  return hash('sha256', sql.replaceAll('\r\n', '\n'))
}

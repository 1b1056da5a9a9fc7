import init from '../../../migrations/0000_init.sql' with { type: 'text' }
import accounts from '../../../migrations/0001_accounts.sql' with { type: 'text' }
import feeds from '../../../migrations/0002_feeds.sql' with { type: 'text' }
import directory from '../../../migrations/0003_directory.sql' with { type: 'text' }
import web from '../../../migrations/0004_web.sql' with { type: 'text' }
import upkeep from '../../../migrations/0005_upkeep.sql' with { type: 'text' }
import hidden from '../../../migrations/0006_hidden.sql' with { type: 'text' }
import places from '../../../migrations/0007_places.sql' with { type: 'text' }
import titles from '../../../migrations/0008_titles.sql' with { type: 'text' }
import quotas from '../../../migrations/0009_quotas.sql' with { type: 'text' }

export interface Migration {
  readonly name: string
  readonly sql: string
}

/** Oldest first, append-only; the text is part of the executable. A test holds this list against the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_init', sql: init },
  { name: '0001_accounts', sql: accounts },
  { name: '0002_feeds', sql: feeds },
  { name: '0003_directory', sql: directory },
  { name: '0004_web', sql: web },
  { name: '0005_upkeep', sql: upkeep },
  { name: '0006_hidden', sql: hidden },
  { name: '0007_places', sql: places },
  { name: '0008_titles', sql: titles },
  { name: '0009_quotas', sql: quotas },
]

import { MIGRATIONS } from '../../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { NEXT } from './next-migration.ts'

/** Upgrades the database in the folder given as an argument, for a test that kills this process. */
const dataDir = process.argv[2] ?? ''
openDatabase({ dataDir, version: 'test', now: 1_740_909_600, migrations: [...MIGRATIONS, NEXT] }).close()

import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createReplayedStore } from '../support/replayed-store.ts'
import { describeStore } from './contract/describe-store.ts'

describeStore('SQLite, asked as PostgreSQL is', () => createReplayedStore(openMemoryDatabase()))

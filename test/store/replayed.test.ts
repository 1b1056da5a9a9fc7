import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createReplayedStore } from '../support/replayed-store.ts'
import { describeStore } from './contract/describe-store.ts'

describeStore('SQLite with the replay of PostgreSQL', () => createReplayedStore(openMemoryDatabase()))

import { afterEach, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { leaveMarker } from '../../../src/store/sqlite/core/database-state.ts'
import { tempDirs } from '../temp-dir.ts'

const dirs = tempDirs()
afterEach(dirs.removeAll)

test('a marker that is still there tells of a stop that was not orderly, until one is', () => {
  const dataDir = dirs.make()
  expect(leaveMarker(dataDir).wasLeft).toBe(false)
  const second = leaveMarker(dataDir)
  expect(second.wasLeft).toBe(true)
  second.remove()
  expect(readdirSync(dataDir)).toEqual([])
  expect(leaveMarker(dataDir).wasLeft).toBe(false)
})

test('the marker is its owner’s alone', () => {
  const dataDir = dirs.make()
  leaveMarker(dataDir)
  const [name = ''] = readdirSync(dataDir)
  expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
})

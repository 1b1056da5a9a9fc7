import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createImportFiles } from '../../src/transfer/import-files.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { seededRandom } from '../support/values.ts'

const disk = mountSmallDisk(1)
disk?.[Symbol.dispose]()

test.skipIf(!disk)('a file that does not fit on the disk is refused and removed', async () => {
  using small = mountSmallDisk(1)
  const folder = join(small?.path ?? '', 'imports')
  const files = createImportFiles(folder, seededRandom(1))
  const pieces = async function* () {
    yield new Uint8Array(3 * 1024 * 1024)
  }
  await expect(files.receive(pieces())).rejects.toThrow()
  expect(readdirSync(folder)).toEqual([])
})

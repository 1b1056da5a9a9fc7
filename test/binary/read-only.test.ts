import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { podstep } from './support/command.ts'
import { CHANGES, complaints, IDA, LIST } from './support/scene.ts'
import { startServer } from './support/server.ts'

const run = (...command: readonly string[]) => {
  if (Bun.which(command[0] ?? '') === null) return undefined
  const { success, stdout } = Bun.spawnSync([...command], { stderr: 'ignore' })
  return success ? stdout.toString() : undefined
}

/** Mounts a file system of 32 MB; `undefined` unless root runs the tests. */
function mountImage() {
  const folder = mkdtempSync(join(tmpdir(), 'podstep-image-'))
  const [image, path] = [join(folder, 'image'), join(folder, 'mounted')]
  Bun.spawnSync(['mkdir', path])
  writeFileSync(image, '')
  truncateSync(image, 32 * 1024 * 1024)
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, path) !== undefined
  const device = () => basename(run('findmnt', '-n', '-o', 'SOURCE', path)?.trim() ?? '')
  const remove = () => {
    run('umount', '--lazy', path)
    rmSync(folder, { recursive: true })
  }
  if (run('mkfs.ext4', '-q', image) !== undefined && mount())
    return {
      path,
      /** Makes it read-only, as the system does when a disk fails. */
      fail: () => writeFileSync(`/sys/fs/ext4/${device()}/trigger_fs_error`, '1'),
      /** Repairs it, as an administrator would, once the server's processes have ended. */
      async mend(): Promise<boolean> {
        await eventually(
          () => run('umount', path) !== undefined,
          (isUnmounted) => isUnmounted,
        )
        return run('e2fsck', '-fp', image) !== '' && mount()
      },
      [Symbol.dispose]: remove,
    }
  remove()
  return undefined
}

const canMount = (() => {
  using image = mountImage()
  return image !== undefined && readdirSync('/sys/fs').includes('ext4')
})()
if (!canMount) process.stderr.write('skipped the test of a read-only file system: it needs the right to mount one\n')

test.skipIf(!canMount)(
  'a server whose file system becomes read-only refuses changes, serves reads, stops cleanly and loses nothing',
  async () => {
    using image = mountImage()
    if (!image) throw new Error('cannot mount any more')
    const { path: cwd } = image
    await podstep(['user', 'create', 'ida'], { cwd, stdin: 'seaglass' })
    const feeds = Array.from({ length: 20 }, (_, n) => `https://feeds.example/${n}`)
    {
      await using server = await startServer({ cwd })
      const [ida, anyone] = [server.client(IDA), server.client()]
      for (const feed of feeds) expect((await ida.post(CHANGES, { add: [feed] })).status).toBe(200)
      image.fail()
      for (let n = 0; n < 3; n++) {
        const { status, json, headers } = await ida.post(CHANGES, { add: [`https://feeds.example/late-${n}`] })
        expect([status, json, headers.get('retry-after')]).toMatchObject([503, { error: 'unavailable' }, '10'])
      }
      expect((await anyone.get('/readyz')).status).toBe(503)
      expect((await anyone.get('/healthz')).status).toBe(200)
      expect((await ida.get(LIST)).json).toEqual(feeds)
      expect(complaints(server).map(({ msg }) => msg)).toEqual([
        expect.stringContaining('cannot write to the database'),
      ])
      server.signal('SIGTERM')
      expect(await server.ended()).toBe(0)
    }
    expect(await image.mend()).toBe(true)
    await using again = await startServer({ cwd })
    await again.logged('the database has been checked and is sound')
    const ida = again.client(IDA)
    expect((await ida.get(LIST)).json).toEqual(feeds)
    expect((await ida.post(CHANGES, { add: ['https://feeds.example/new'] })).status).toBe(200)
    await again.stop()
  },
)

import { expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { emptyFolder } from './support/folder.ts'
import { startServer } from './support/server.ts'

test('the executable tells administrators how it is, and where its settings come from', async () => {
  using folder = emptyFolder()
  folder.file(
    'config.toml',
    'registration = "open"\nsmtp_host = "mail.home.example"\nsmtp_from = "a@b.example"\nsmtp_user = "ida"\nsmtp_password = "hunter1"\n',
  )
  folder.file('key', 'hunter2\n')
  const env = { SVC_DIRECTORY_KEY_FILE: 'key', SVC_DIRECTORY_SECRET: 'hunter3' }
  await using server = await startServer({ cwd: folder.path, env, args: ['serve', '--data-dir', 'podcasts'] })
  await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
  const ida = server.client(basic('ida', 'seaglass'))

  const settings = await ida.get('/api/admin/settings')
  for (const [key, value, origin] of [
    ['registration', '"open"', 'file'],
    ['smtp_password', 'set', 'file'],
    ['directory_key', 'set', 'secret_file'],
    ['directory_secret', 'set', 'environment'],
    ['data_dir', JSON.stringify(`${folder.path}/podcasts`), 'command_line'],
    ['smtp_port', '587', 'default'],
  ])
    expect(settings.json).toContainEqual(expect.objectContaining({ key, value, origin }))
  expect(settings.text).not.toContain('hunter')

  const { json } = await ida.get('/api/admin/server')
  expect(json).toMatchObject({ base_url: '', data_dir: `${folder.path}/podcasts` })
  // Whatever it takes of the machine, it is not nothing.
  for (const path of [['database', 'bytes'], ['database', 'wal_bytes'], ['memory_bytes'], ['disk_free_bytes']])
    expect(json).toHaveProperty(path, expect.any(Number))
  expect(json).not.toMatchObject({ memory_bytes: 0 })
})

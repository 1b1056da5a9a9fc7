import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { emptyFolder } from '../binary/support/folder.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')

test.skipIf(!Bun.which('systemd-analyze'))('systemd rates the exposure of the unit at 2.0 or better', () => {
  const unit = join(DEPLOY, 'podstep.service')
  const rating = Bun.spawnSync(['systemd-analyze', 'security', '--offline=true', '--threshold=20', '--no-pager', unit])
  expect(rating.stderr.toString()).toBe('')
  expect(rating.exitCode).toBe(0)
})

test.skipIf(!Bun.which('nginx'))('nginx accepts its configuration', async () => {
  using folder = emptyFolder()
  const certificates = join(import.meta.dir, '../support/certificates')
  const site = (await Bun.file(join(DEPLOY, 'proxies/nginx.conf')).text())
    .replaceAll('http://podstep:', 'http://127.0.0.1:')
    .replace('/etc/nginx/tls/fullchain.pem', join(certificates, 'certificate.pem'))
    .replace('/etc/nginx/tls/privkey.pem', join(certificates, 'private-key.pem'))
  const text = `pid ${folder.path}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${site}\n}\n`
  const file = folder.file('nginx.conf', text)
  const { exitCode, stderr } = Bun.spawnSync(['nginx', '-t', '-p', folder.path, '-c', file])
  expect(stderr.toString()).toContain('test is successful')
  expect(exitCode).toBe(0)
})

test.skipIf(!Bun.which('docker-compose')).each(['', 'caddy.', 'traefik.', 'nginx.'])(
  'docker-compose accepts compose.%syaml',
  (name) => {
    const { exitCode, stderr } = Bun.spawnSync(['docker-compose', '-f', join(DEPLOY, `compose.${name}yaml`), 'config'])
    expect(stderr.toString()).toBe('')
    expect(exitCode).toBe(0)
  },
)

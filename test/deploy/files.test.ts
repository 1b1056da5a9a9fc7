import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { devDependencies } from '../../package.json'

const DEPLOY = join(import.meta.dir, '../../deploy')
const read = (path: string) => Bun.file(join(DEPLOY, path)).text()

const TRUSTED = 'SVC_TRUSTED_PROXIES'

interface Service {
  readonly image: string
  readonly ports?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: readonly string[]
  readonly networks?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

interface Compose {
  readonly services: { readonly podstep: Service } & Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
  readonly networks?: Readonly<
    Record<
      string,
      { readonly ipam: { readonly config: readonly { readonly subnet: string; readonly gateway?: string }[] } }
    >
  >
}

const compose = async (name: string) => Bun.YAML.parse(await read(name)) as Compose
const example = await Bun.file(join(DEPLOY, '../config.example.toml')).text()
const port = /^#port = (\d+)$/m.exec(example)?.[1] ?? 'no port in config.example.toml'
const dockerfile = await read('Dockerfile')

test("the image uses the project's version of Bun, and has the port, the volume and the health check", () => {
  expect(dockerfile).toContain(`ARG BUN_VERSION=${devDependencies.bun}\n`)
  expect(dockerfile).toContain(`\nEXPOSE ${port}\n`)
  expect(dockerfile).toContain('\nENV SVC_DATA_DIR=/data\nVOLUME /data\n')
  expect(dockerfile).toMatch(/^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/podstep", "healthcheck"\]$/m)
})

test.each(['.ci/run', '.github/workflows/release.yml', 'README.md'])(
  '%s runs the same version of Bun',
  async (path) => {
    const text = await Bun.file(join(DEPLOY, '..', path)).text()
    const versions = [...text.matchAll(/\bbun@([\d.]*\d)/g)].map(([, version]) => version)
    expect(new Set(versions)).toEqual(new Set([devDependencies.bun]))
  },
)

test('the last stage of the image runs no command, so that it can be built for other platforms', () => {
  const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))
  expect(lastStage).not.toMatch(/^RUN /m)
})

test('the plain compose file publishes the port locally, and trusts only the gateway of its own network', async () => {
  const { services, networks } = await compose('compose.yaml')
  expect(services.podstep.ports).toEqual([`127.0.0.1:${port}:${port}`])
  expect(services.podstep.environment[TRUSTED]).toBe(networks?.['default']?.ipam.config[0]?.gateway ?? 'no gateway')
})

const DEPLOY_FILES = [...new Bun.Glob('**/*').scanSync({ cwd: DEPLOY })].filter((path) => !path.endsWith('.json'))
/** Trusted proxies as a variable in YAML or a Quadlet, or as a key in TOML, also in comments. */
const TRUST = /(?:\bSVC_TRUSTED_PROXIES(?:: |=)|\btrusted_proxies = )(?<value>[^\n]+)/g

test('all files in deploy/ trust single addresses, or their own network', async () => {
  const found: string[] = []
  for (const path of DEPLOY_FILES) {
    const text = await read(path)
    const own = [...text.matchAll(/- subnet: (\S+)/g)].map(([, subnet]) => subnet)
    for (const { groups } of text.matchAll(TRUST))
      for (const address of (groups?.['value'] ?? '').match(/[0-9a-f.:/]*[.:][0-9a-f.:/]+/g) ?? [])
        found.push(address.includes('/') && !own.includes(address) ? `${path}: ${address}` : 'ok')
  }
  expect(new Set(found)).toEqual(new Set(['ok']))
  expect(found.length).toBeGreaterThan(8)
})

describe.each(['caddy', 'traefik', 'nginx'])('podstep behind %s', (proxy) => {
  test('has the same confinement as without a proxy, and only the proxy can reach it', async () => {
    const { services, networks, volumes } = await compose(`compose.${proxy}.yaml`)
    const plain = (await compose('compose.yaml')).services.podstep
    const { labels: _labels, networks: joined, ...podstep } = services.podstep
    const { ports: _ports, ...expected } = plain
    const subnet = networks?.['proxy']?.ipam.config[0]?.subnet
    expect(subnet).toBeString()
    expect(podstep).toEqual({
      ...expected,
      environment: { ...expected.environment, [TRUSTED]: String(subnet) },
    })
    expect(Object.keys(services)).toEqual(['podstep', proxy])
    expect(joined).toEqual(['proxy'])
    expect(services[proxy]?.networks).toEqual(['proxy'])
    expect(services[proxy]?.ports).toContain('443:443')
    expect(volumes).toHaveProperty('data')
  })
})

test('the proxies send requests to the port of podstep, with the address of the client', async () => {
  expect(await read('proxies/Caddyfile')).toContain(`reverse_proxy podstep:${port} `)
  expect(await read('proxies/Caddyfile.postgres')).toContain(`reverse_proxy podstep-1:${port} podstep-2:${port} `)
  const labels = (await compose('compose.traefik.yaml')).services.podstep.labels
  expect(labels?.['traefik.http.services.podstep.loadbalancer.server.port']).toBe(port)
  const nginx = await read('proxies/nginx.conf')
  expect(new Set(nginx.match(/proxy_pass .*/g))).toEqual(new Set([`proxy_pass http://podstep:${port};`]))
  for (const header of ['Host', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host'])
    expect(nginx).toContain(`\n    proxy_set_header ${header} `)
})

test('all proxies in deploy/proxies, the compose files and the documentation send Strict-Transport-Security', async () => {
  const year = 'max-age=31536000'
  const docs = await Bun.file(join(DEPLOY, '../docs/deployment.md')).text()
  for (const text of [await read('proxies/Caddyfile'), await read('proxies/Caddyfile.postgres'), docs])
    expect(text).toContain(`\n\theader Strict-Transport-Security ${year}\n`)
  for (const text of [await read('proxies/nginx.conf'), docs])
    expect(text).toContain(`\n    add_header Strict-Transport-Security "${year}" always;\n`)
  const labels = (await compose('compose.traefik.yaml')).services.podstep.labels ?? {}
  const used = labels['traefik.http.routers.podstep.middlewares']
  expect(labels[`traefik.http.middlewares.${used}.headers.stsSeconds`]).toBe('31536000')
})

test('the Quadlet has the port, the volume, the health check and the confinement of the compose file', async () => {
  const lines = (await read('podstep.container')).split('\n')
  for (const line of [
    `PublishPort=127.0.0.1:${port}:${port}`,
    'Volume=podstep-data:/data',
    'HealthCmd=/usr/local/bin/podstep healthcheck',
    'ReadOnly=true',
    'DropCapability=ALL',
    'NoNewPrivileges=true',
  ])
    expect(lines).toContain(line)
})

test('the unit allows what the just-in-time compiler needs', async () => {
  expect(await read('podstep.service')).not.toMatch(/^(?:MemoryDenyWriteExecute|LimitAS)=/m)
})

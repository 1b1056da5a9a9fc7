import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { version } from '../../package.json'
import { envName, keys, settings } from '../../src/config/options.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')
const read = (path: string) => Bun.file(join(DEPLOY, path)).text()
const yaml = async (path: string): Promise<unknown> => Bun.YAML.parse(await read(path))

const variables = new Set(keys.map(envName))
const unknown = (names: readonly string[]) => names.filter((name) => !variables.has(name.replace(/_FILE$/, '')))

interface Service extends Readonly<Record<string, unknown>> {
  readonly environment: Readonly<Record<string, string>>
  readonly networks: readonly string[]
  readonly secrets: readonly string[]
}
type Name = 'podstep-1' | 'podstep-2' | 'postgres' | 'caddy'
interface Compose {
  readonly services: Readonly<Record<Name, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly networks: unknown
}

describe('the compose file with PostgreSQL', async () => {
  const text = await read('compose.postgres.yaml')
  const { services, secrets, networks } = Bun.YAML.parse(text) as Compose

  test('has two equal servers with the confinement of the plain file', async () => {
    const { services: plain } = (await yaml('compose.yaml')) as { services: { podstep: Service } }
    const { ports: _ports, volumes: _volumes, environment: _environment, ...confinement } = plain.podstep
    expect(services['podstep-1']).toMatchObject(confinement)
    expect(services['podstep-2']).toEqual(services['podstep-1'])
    expect(Object.keys(services)).toEqual(['podstep-1', 'podstep-2', 'postgres', 'caddy'])
  })

  test('uses existing settings', () => {
    expect(unknown(Object.keys(services['podstep-1'].environment))).toEqual([])
  })

  test('passes each service its secret, from a file that git ignores', async () => {
    const server = services['podstep-1']
    expect(server.secrets).toEqual(['database_url'])
    expect(server.environment['SVC_DATABASE_FILE']).toBe('/run/secrets/database_url')
    expect(services.postgres.secrets).toEqual(['postgres_password'])
    expect(services.postgres.environment['POSTGRES_PASSWORD_FILE']).toBe('/run/secrets/postgres_password')
    const files = Object.values(secrets).map(({ file }) => file)
    expect(files).toEqual(['./secrets/postgres-password', './secrets/database-url'])
    // The comment at the top of the file explains how to create them.
    for (const file of files) expect(text).toContain(`> deploy${file.slice(1)}\n`)
    expect(await Bun.file(join(DEPLOY, '../.gitignore')).text()).toContain('\ndeploy/secrets/\n')
  })

  test('starts the servers when PostgreSQL is ready for the role and database of the URL', () => {
    const { POSTGRES_USER: role, POSTGRES_DB: database } = services.postgres.environment
    expect(text).toContain(`'postgres://${role}:%s@postgres/${database}'`)
    expect(services.postgres['healthcheck']).toMatchObject({
      test: ['CMD', 'pg_isready', '-h', '127.0.0.1', '-U', role, '-d', database],
    })
    expect(services['podstep-1']['depends_on']).toEqual({ postgres: { condition: 'service_healthy' } })
  })

  test('allows only the proxy to reach the servers, and only the servers to reach PostgreSQL', () => {
    expect(services['podstep-1'].networks).toEqual(['proxy', 'database'])
    expect(services.postgres.networks).toEqual(['database'])
    expect(services.caddy.networks).toEqual(['proxy'])
    const subnet = services['podstep-1'].environment['SVC_TRUSTED_PROXIES']
    expect(networks).toMatchObject({ proxy: { ipam: { config: [{ subnet }] } }, database: { internal: true } })
  })

  test('sends requests to the ready server, and retries failed connections', async () => {
    expect(services.caddy['volumes']).toContain('./proxies/Caddyfile.postgres:/etc/caddy/Caddyfile:ro')
    const site = await read('proxies/Caddyfile.postgres')
    for (const line of ['health_uri /readyz', 'health_interval 1s', 'flush_interval -1'])
      expect(site).toContain(`\n\t\t${line}\n`)
    const seconds = Number(/\n\t\tlb_try_duration (\d+)s\n/.exec(site)?.[1])
    // An unreachable machine loses the lock after 10 seconds; a stopping server waits 8 seconds for requests.
    expect(seconds).toBeGreaterThan(10)
  })
})

interface Container {
  readonly image: string
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
}
interface Pod {
  readonly containers: readonly [Container]
  readonly volumes: readonly Readonly<Record<string, unknown>>[]
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: unknown
}
interface Deployment {
  readonly spec: {
    readonly replicas: number
    readonly selector: { readonly matchLabels: unknown }
    readonly strategy: unknown
    readonly template: { readonly metadata: { readonly labels: unknown }; readonly spec: Pod }
  }
}

describe('the file for Kubernetes', async () => {
  const text = await read('kubernetes.yaml')
  const objects = Bun.YAML.parse(text) as { readonly kind: string; readonly metadata: { readonly name: string } }[]
  const find = (kind: string) => objects.find((object) => object.kind === kind)
  const { replicas, selector, strategy, template } = (find('Deployment') as unknown as Deployment).spec
  const pod = template.spec
  const [container] = pod.containers

  test('runs the image of this version with existing settings', () => {
    expect(container.image).toEndWith(`/podstep:${version}`)
    expect(unknown(container.env.map(({ name }) => name))).toEqual([])
  })

  test('passes the URL as a file, and has folders that may be empty at each start', () => {
    const path = container.env.find(({ name }) => name === 'SVC_DATABASE_FILE')?.value
    const mounts = new Map(container.volumeMounts.map((mount) => [mount.mountPath, mount]))
    expect([...mounts.keys()]).toEqual(['/run/secrets/podstep', '/data', '/tmp'])
    expect(path).toBe('/run/secrets/podstep/url')
    expect(mounts.get('/run/secrets/podstep')).toMatchObject({ name: 'database', readOnly: true })
    expect(pod.volumes).toMatchObject([
      { name: 'database', secret: { secretName: find('Secret')?.metadata.name } },
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ])
    expect(find('Secret')).toMatchObject({ stringData: { url: expect.stringMatching(/^postgres:\/\/.*verify-full$/) } })
  })

  test('meets the restricted pod security standard, with the user of the image', async () => {
    const user = /^USER (\d+):\1$/m.exec(await read('Dockerfile'))?.[1]
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(user),
      fsGroup: Number(user),
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { requests: { memory: expect.any(String) }, limits: { memory: '512Mi' } },
    })
    expect(pod).toMatchObject({ automountServiceAccountToken: false })
  })

  test('has probes for liveness and readiness, at the port of podstep', () => {
    const asks = (path: string) => ({ httpGet: { path, port: 'http' } })
    expect(container).toMatchObject({
      ports: [{ name: 'http', containerPort: settings.port.fallback }],
      livenessProbe: asks('/healthz'),
      readinessProbe: asks('/readyz'),
    })
    expect(find('Service')).toMatchObject({
      spec: { selector: selector.matchLabels, ports: [{ targetPort: 'http' }] },
    })
    expect(template.metadata.labels).toEqual(selector.matchLabels)
  })

  test('can roll out and be drained, although one of the two replicas is never ready', () => {
    expect(replicas).toBe(2)
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%', maxSurge: 1 } })
    expect(find('PodDisruptionBudget')).toMatchObject({
      spec: { minAvailable: 0, selector: { matchLabels: selector.matchLabels } },
    })
    const seconds = Number(container.lifecycle.preStop.exec.command[1])
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + 20)
  })
})

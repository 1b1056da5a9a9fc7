import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { version } from '../../package.json'
import { fillTemplate, TEMPLATES } from '../../scripts/release.ts'
import { envName, isKey, keys, settings } from '../../src/config/options.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')
const read = (path: string) => Bun.file(join(DEPLOY, path)).text()
const yaml = async (path: string): Promise<unknown> => Bun.YAML.parse(await read(path))

const IMAGE = `podstep:${version}`
const PORT = settings.port.fallback
/** Port on home servers, where 8080 is often taken. */
const PUBLISHED = 8087
const variables = new Set(keys.map(envName))

/** Confinement and grace period, as in the compose file. */
const CONFINEMENT = {
  read_only: true,
  tmpfs: ['/tmp'],
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  mem_limit: '512m',
  stop_grace_period: '20s',
}

test('CONFINEMENT is that of the compose file', async () => {
  expect(await yaml('compose.yaml')).toMatchObject({ services: { podstep: CONFINEMENT } })
})

test('CasaOS runs the image of this version, with one folder, and opens the published port', async () => {
  expect(await yaml('casaos/docker-compose.yml')).toMatchObject({
    name: 'podstep',
    services: {
      podstep: {
        ...CONFINEMENT,
        image: IMAGE,
        ports: [{ target: PORT, published: String(PUBLISHED) }],
        volumes: [{ type: 'bind', source: '/DATA/AppData/$AppID/data', target: '/data' }],
      },
    },
    'x-casaos': {
      main: 'podstep',
      port_map: String(PUBLISHED),
      architectures: ['amd64', 'arm64'],
      version,
    },
  })
})

test('Umbrel runs the image of this version, with one folder, behind its proxy without a password', async () => {
  expect(await yaml('umbrel/docker-compose.yml')).toMatchObject({
    services: {
      app_proxy: { environment: { APP_HOST: 'podstep_server_1', APP_PORT: PORT, PROXY_AUTH_ADD: 'false' } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Umbrel puts the folder there.
      server: { ...CONFINEMENT, image: IMAGE, volumes: ['${APP_DATA_DIR}/data:/data'] },
    },
  })
  expect(await yaml('umbrel/umbrel-app.yml')).toMatchObject({ id: 'podstep', version, port: PUBLISHED })
  // All apps are in the network of Umbrel's proxy, so it is not trusted.
  expect(JSON.stringify(await yaml('umbrel/docker-compose.yml'))).not.toContain(envName('trusted_proxies'))
  expect(readdirSync(join(DEPLOY, 'umbrel/data'))).toEqual(['.gitkeep'])
})

describe('Unraid', async () => {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', textNodeName: 'value' })
  const { Container: container } = parser.parse(await read('unraid/podstep.xml'))
  const configs: Readonly<Record<string, string>>[] = container.Config
  const ofType = (type: string) => configs.filter(({ Type }) => Type === type)

  test('runs the image of this version, with one port and one folder', () => {
    expect(container).toMatchObject({ version: '2', Repository: IMAGE, WebUI: `http://[IP]:[PORT:${PORT}]/` })
    expect(ofType('Port')).toMatchObject([{ Target: String(PORT), Default: String(PUBLISHED), Mode: 'tcp' }])
    expect(ofType('Path')).toMatchObject([{ Target: '/data', Default: '/mnt/user/appdata/podstep', Mode: 'rw' }])
  })

  test('has the confinement of the compose file', () => {
    const { ExtraParams: params } = container
    for (const param of ['--read-only', '--tmpfs /tmp', '--cap-drop ALL', '--memory 512m', '--stop-timeout 20'])
      expect(params).toContain(param)
    expect(params).toContain('--security-opt no-new-privileges:true')
  })

  test('offers existing settings', () => {
    const offered = ofType('Variable').map(({ Target }) => Target ?? '')
    expect(offered.filter((name) => !variables.has(name))).toEqual([])
    expect(offered).toContain(envName('base_url'))
  })
})

describe('YunoHost', () => {
  const scripts = readdirSync(join(DEPLOY, 'yunohost/scripts')).sort((one, other) => (one < other ? -1 : 1))

  test('has a manifest of this version with an executable for each architecture, and no sign-in for apps', async () => {
    const executable = (target: string) => ({
      url: expect.stringMatching(new RegExp(`^https://.*/${version}/podstep-${target}$`)),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(Bun.TOML.parse(await read('yunohost/manifest.toml'))).toMatchObject({
      packaging_format: 2,
      id: 'podstep',
      version: `${version}~ynh1`,
      upstream: { license: 'MIT' },
      integration: { architectures: ['amd64', 'arm64'], helpers_version: '2.1' },
      install: { init_main_permission: { type: 'group', default: 'visitors' } },
      resources: {
        sources: {
          main: {
            amd64: executable('linux-x64'),
            arm64: executable('linux-arm64'),
            format: 'whatever',
            extract: false,
            in_subdir: false,
            rename: 'podstep',
          },
        },
        ports: { main: { default: PORT } },
        system_user: {},
        install_dir: {},
        data_dir: {},
        permissions: { main: { url: '/', auth_header: false } },
      },
    })
  })

  test('has the scripts, which the shell understands', () => {
    expect(scripts).toEqual(['_common.sh', 'backup', 'install', 'remove', 'restore', 'upgrade'])
    for (const script of scripts) {
      const { exitCode, stderr } = Bun.spawnSync(['bash', '-n', join(DEPLOY, 'yunohost/scripts', script)])
      expect(stderr.toString()).toBe('')
      expect(exitCode).toBe(0)
    }
  })

  test('writes existing settings, for its own nginx', async () => {
    const text = (await read('yunohost/conf/config.toml'))
      .replace('__PORT__', '8080')
      .replace('__DOMAIN____PATH__', 'home.example/podstep')
      .replace('__DATA_DIR__', '/home/yunohost.app/podstep')
    const found = Bun.TOML.parse(text)
    expect(Object.keys(found).filter((key) => !isKey(key))).toEqual([])
    expect(found).toMatchObject({ host: '127.0.0.1', trusted_proxies: ['127.0.0.1', '::1'] })
  })

  test('has the nginx settings and the confinement of the other files', async () => {
    const lines = (text: string) => text.split('\n').map((line) => line.trim())
    const site = lines(await read('yunohost/conf/nginx.conf'))
    const wanted = lines(await read('proxies/nginx.conf')).filter((line) =>
      /^(?:proxy_(?!pass)|client_max|access_log)/.test(line),
    )
    expect(wanted.filter((line) => !site.includes(line))).toEqual([])
    const unit = lines(await read('yunohost/conf/systemd.service'))
    const confined = lines(await read('podstep.service')).filter((line) =>
      /^(?:Protect|Private|Restrict|System|NoNew|Capability|Ambient|Lock|Remove|Memory|OOM|UMask|Timeout)/.test(line),
    )
    // The data is below /home there.
    expect(confined.filter((line) => !unit.includes(line))).toEqual(['ProtectHome=yes'])
    expect(unit).toContain('ProtectHome=tmpfs')
    expect(unit).toContain('BindPaths=__DATA_DIR__')
  })
})

test('a release replaces all placeholder addresses in the templates', async () => {
  const places = {
    url: 'https://files.home.example/podstep',
    image: 'registry.home.example/podstep',
    site: 'https://home.example/about',
  }
  const sums = { amd64: 'b'.repeat(64), arm64: 'c'.repeat(64) }
  const paths = TEMPLATES.flatMap((folder) =>
    readdirSync(join(DEPLOY, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const texts = await Promise.all(paths.map(async (path) => fillTemplate(await Bun.file(path).text(), places, sums)))
  const all = texts.join('')
  expect(all).not.toMatch(/podstep\.example|(?<!home\.example\/)podstep:\d|0{64}|a{64}/)
  expect(all).toContain(`"${places.url}/podstep-linux-x64"\n    amd64.sha256 = "${sums.amd64}"`)
  expect(all.match(/registry\.home\.example\/podstep:/g)).toHaveLength(3)
  // Umbrel and Unraid link to the website for support, too.
  expect(all.match(/https:\/\/home\.example\/about\b/g)).toHaveLength(5)
})

/** Allowed imports, checked by `scan.ts`. Paths are relative to `src`; folders end with a slash. */
export interface FolderRule {
  /** A folder, or a file with its own rule. */
  readonly of: string
  /** Own modules that it may import besides itself; `type x` allows types only, `*` everything. */
  readonly ours: readonly string[]
  /** Packages and modules of the platform; `type x` as above. */
  readonly packages: readonly string[]
}

/** The first matching rule applies. */
export const FOLDER_RULES: readonly FolderRule[] = [
  {
    of: 'main.ts',
    ours: ['cli/force-production.ts', 'cli/main.ts', 'processes/', 'transfer/process/', 'worker/main.ts'],
    packages: [],
  },
  { of: 'app.ts', ours: ['*'], packages: ['type bun:sqlite'] },
  { of: 'services.ts', ours: ['services/', 'type domain/shared/service.ts'], packages: [] },
  {
    of: 'services/',
    ours: [
      ...['adapters.ts', 'artwork/', 'config/', 'domain/', 'platform/', 'type transfer/', 'type store/stores.ts'],
      'type store/postgres/connections.ts',
      'store/sqlite/server/backups.ts',
    ],
    packages: ['type bun:sqlite', 'node:path'],
  },
  { of: 'adapters.ts', ours: ['*'], packages: ['node:fs', 'node:path'] },
  { of: 'text.d.ts', ours: [], packages: [] },
  // Colours and mark, for pages of the server and the build of the web client.
  { of: 'brand.ts', ours: [], packages: [] },
  { of: 'cli/force-production.ts', ours: [], packages: [] },
  {
    of: 'cli/',
    ours: [
      ...[
        'app.ts',
        'config/',
        'platform/',
        'type domain/',
        'type http/server.ts',
        'type http/web-files.ts',
        'http/web-files.ts',
        'http/origin.ts',
        'http/responses/waiting.ts',
        'type services/base.ts',
        'demo/',
        'doctor/',
      ],
      // Distinguishes errors of users from bugs. The rest of the domain is reached through the application.
      'domain/shared/errors.ts',
      'domain/server/doctor.ts',
      // Findings are described with the same texts as on the Server page.
      'web/locales/en.json',
      'store/migrations.ts',
      ...['open', 'files/run-marker'].map((name) => `store/sqlite/core/${name}.ts`),
      ...['connect', 'leader'].map((name) => `store/postgres/${name}.ts`),
      // Backups are made and restored without the application, which would migrate the database first.
      ...['adapters.ts', 'domain/server/backups.ts'],
      ...['backups', 'restore'].map((name) => `store/sqlite/server/${name}.ts`),
      'store/copy/copy.ts',
      // The web client, which is built into the executable.
      ...['../package.json', '../dist/'],
    ],
    packages: [
      ...['crypto', 'fs', 'fs/promises', 'http', 'net', 'os', 'path', 'util', 'timers/promises'].map(
        (name) => `node:${name}`,
      ),
      ...['type node:tty', 'croner'],
    ],
  },
  // Examines machine and settings without the application and its database.
  {
    of: 'doctor/',
    // Suggested settings are written from the descriptions of settings.
    ours: ['config/options.ts', 'config/describe.ts', 'type config/', 'domain/', 'platform/'],
    packages: ['node:crypto', 'node:fs', 'node:net', 'node:path', 'node:process', 'node:tls'],
  },
  // Feeds and data of `podstep demo`, which uses only the API.
  { of: 'demo/', ours: ['formats/xml-scan.ts'], packages: ['node:zlib'] },
  {
    of: 'config/',
    ours: ['platform/cron.ts', 'platform/secret.ts'],
    packages: ['node:path', 'smol-toml', 'ipaddr.js', 'leven'],
  },
  {
    of: 'platform/',
    ours: [],
    packages: [
      'node:crypto',
      'node:os',
      'pino-std-serializers',
      'safe-stable-stringify',
      'lru-cache',
      'croner',
      'entities/decode',
      'bun:jsc',
    ],
  },
  // Business rules depend on no package and no engine.
  { of: 'domain/', ours: ['platform/'], packages: [] },
  { of: 'formats/', ours: ['domain/', 'platform/decode-text.ts'], packages: [] },
  { of: 'mail/', ours: ['domain/', 'formats/', 'platform/'], packages: ['nodemailer'] },
  {
    of: 'outbound/',
    ours: ['domain/', 'platform/'],
    packages: ['ipaddr.js', 'node:dns/promises', 'node:stream', 'node:stream/promises', 'node:zlib'],
  },
  // Imports of files and from other servers, each in its own process.
  {
    of: 'transfer/',
    ours: ['domain/', 'formats/', 'outbound/', 'platform/', 'processes/'],
    packages: [
      'node:fs',
      'node:fs/promises',
      'node:path',
      'node:process',
      'node:sqlite',
      'node:stream',
      'node:url',
      'node:zlib',
    ],
  },
  // Shared code of child processes.
  { of: 'processes/', ours: [], packages: ['node:fs', 'node:os', 'node:process', 'node:url'] },
  // The feed worker: no database, no requests.
  {
    of: 'worker/',
    ours: ['domain/', 'formats/', 'outbound/', 'platform/', 'processes/'],
    packages: ['fast-xml-parser', 'entities/decode', 'htmlparser2'],
  },
  { of: 'artwork/', ours: ['domain/', 'outbound/', 'platform/'], packages: ['node:fs/promises', 'node:path'] },
  { of: 'sso/', ours: ['domain/', 'platform/'], packages: ['oauth4webapi'] },
  {
    of: 'store/postgres/',
    ours: [
      ...['domain/', 'platform/', 'store/engine.ts', 'store/stores.ts', 'store/migrations.ts'],
      '../migrations/postgres/',
    ],
    packages: ['bun'],
  },
  // Uses both engines, below their stores.
  {
    of: 'store/copy/',
    ours: [
      ...['platform/clock.ts', 'type platform/secret.ts', 'platform/unknown.ts', 'store/migrations.ts'],
      ...['connect', 'engine', 'errors', 'leader', 'migrate'].map((name) => `store/postgres/${name}.ts`),
      ...['errors', 'files/run-marker', 'migrate', 'sync-folder'].map((name) => `store/sqlite/core/${name}.ts`),
    ],
    packages: ['bun', 'bun:sqlite', 'node:crypto', 'node:fs', 'node:path'],
  },
  {
    of: 'store/sqlite/',
    ours: [
      ...['domain/', 'platform/', 'store/stores.ts', 'type store/engine.ts', 'store/migrations.ts'],
      '../migrations/sqlite/',
    ],
    packages: [
      'bun:sqlite',
      'node:sqlite',
      ...['fs', 'fs/promises', 'os', 'path', 'crypto'].map((name) => `node:${name}`),
    ],
  },
  { of: 'store/migrations.ts', ours: [], packages: ['node:crypto'] },
  // The stores, independent of the engine.
  { of: 'store/', ours: ['domain/', 'platform/'], packages: ['drizzle-orm', 'node:crypto'] },
  {
    of: 'http/',
    ours: ['brand.ts', 'domain/', 'formats/', 'platform/', 'type services.ts'],
    packages: ['@sinclair/typebox', 'elysia', 'ipaddr.js', 'node:buffer', 'node:stream', 'node:util', 'node:zlib'],
  },
  // `GET /metrics`; the numbers are read where they are counted.
  { of: 'metrics/', ours: ['domain/', 'platform/'], packages: ['prom-client/lib/registry.js'] },
  // Runs in browsers, and uses only the API of the server.
  {
    of: 'web/',
    ours: [
      'domain/shared/errors.ts',
      'domain/shared/feed-url.ts',
      'formats/notes.ts',
      'type domain/shared/languages.ts',
      'type http/',
    ],
    packages: ['preact', 'preact/hooks', 'preact-iso', '@preact/signals', 'uqr'],
  },
]

/** The nouns of the program; each may use those before it. */
export const NOUNS: readonly string[] = [
  'shared',
  'accounts',
  'sync',
  'feeds',
  'directory',
  'outlets',
  'transfer',
  'server',
]

/** Layers with a folder or a file for each noun. */
export const LAYERS_BY_NOUN: readonly string[] = ['services/', 'domain/', 'store/', 'http/routes/', 'http/spec/']

/** Maximum number of code files in a folder. */
export const FILES_MAX = 15

/** Pages and locales are single files or folders, so there may be any number. */
export const LONG_FOLDERS: readonly string[] = ['web/pages', 'web/locales']

interface BannedName {
  readonly word: RegExp
  /** The glossary's word. */
  readonly use: string
}

const banned = (word: string, use: string): BannedName => ({ word: new RegExp(` (?:${word})s? `), use })

/** Words of the glossary's last column that have no other meaning in exported names. */
export const BANNED_NAMES: readonly BannedName[] = [
  banned('member', 'a user'),
  banned('caller|requester|asker|visitor', 'a principal'),
  banned('deed', 'an audit entry'),
  banned('stranger', 'an anonymous request, or an orphaned podcast,'),
  banned('contact', 'last seen'),
  banned('gatekeeper|admit|recognise|presented', 'authentication'),
  banned('error word|refusal', 'an error code'),
  banned('order|reply', 'a request or a response'),
  banned('sign of life|pulse', 'a heartbeat'),
  banned('clerk|feed program', 'the feed worker'),
  banned('keeping|obtain|fly', 'refreshing'),
  banned('flight', 'what is in flight'),
  banned('lane|pool', 'a limit'),
  banned('keeper|take in|catch up', 'the indexer'),
  banned('judge|judged|anew', 'classifying'),
  banned('random text|looks random', 'entropy'),
  banned('known word|spelled out|misspelling', 'a part of the search'),
  banned('log keeper', 'the checkpointer'),
  banned('lazily|at leisure', 'a deferred write'),
  banned('outside', 'an adapter'),
  banned('shape', 'a schema'),
  banned('tidy|sloppy', 'normalizing a URL'),
  banned('speak|fill', 'a locale'),
  banned('door|shelf|wish|spot', 'a part of the web client'),
  banned('use load|use sending', 'a query or a mutation'),
]

export interface OwnedRule {
  readonly what: string
  readonly pattern: RegExp
  /** Files or folders that may use it. */
  readonly homes: readonly string[]
}

/** Globals that make code hard to test. `new Date(value)` is arithmetic and allowed. */
export const OWNED_GLOBALS: readonly OwnedRule[] = [
  {
    what: 'the wall clock',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/,
    homes: ['platform/clock.ts', 'web/'],
  },
  {
    what: 'the monotonic clock',
    pattern: /\bperformance\b|\bBun\.nanoseconds\b|\bhrtime\b/,
    homes: ['platform/clock.ts', 'web/'],
  },
  {
    what: 'randomness',
    pattern: /\bMath\.random\b|\brandomBytes\b|\brandomUUID\w*|\bgetRandomValues\b/,
    homes: ['platform/crypto.ts', 'web/store/own-device.ts'],
  },
  {
    what: 'the global crypto',
    pattern: /(?<![\w./:'])crypto\b(?!\.ts)|\bBun\.CryptoHasher\b/,
    homes: ['platform/crypto.ts', 'web/store/own-device.ts'],
  },
  { what: 'password hashing', pattern: /\bBun\.password\b/, homes: ['platform/password.ts'] },
  { what: 'the console', pattern: /\bconsole\b/, homes: [] },
  {
    what: 'the process',
    pattern: /(?<![\w.])process\b|\bBun\.(?:env|argv|stdin|stdout|stderr|spawn\w*|exit)\b/,
    homes: [
      'main.ts',
      'cli/force-production.ts',
      'cli/main.ts',
      'cli/listening/unix-socket.ts',
      'doctor/data-folder.ts',
      'processes/serve-parent.ts',
      'processes/start-process.ts',
      'transfer/process/main.ts',
      'transfer/process/memory-guard.ts',
    ],
  },
  { what: 'the environment', pattern: /\bimport\.meta\.env\b/, homes: [] },
  {
    what: 'the network, outwards',
    pattern: /(?<![\w.])fetch\(|\bBun\.connect\b|\bnew WebSocket\b/,
    homes: [
      'cli/run.ts',
      'cli/running-server.ts',
      'outbound/ask-address.ts',
      'outbound/guarded-fetch.ts',
      'web/api/client.ts',
      'web/api/early.ts',
      'web/pwa/',
    ],
  },
  { what: 'the network, inwards', pattern: /\bBun\.(?:serve|listen)\b/, homes: ['cli/listening/listener.ts'] },
  {
    what: 'timers',
    pattern: /\bset(?:Timeout|Interval)\b/,
    homes: [
      'cli/doctor/doctor.ts',
      'cli/serving/server-process.ts',
      'cli/transfer.ts',
      'platform/clock.ts',
      'store/sqlite/core/write-queue.ts',
      'transfer/process/memory-guard.ts',
      'web/',
    ],
  },
]

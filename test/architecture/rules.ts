/** Who may import whom, as data; `scan.ts` holds the source against it. Paths are relative to `src`, a folder ends with a slash. */
export interface FolderRule {
  /** A folder, or a file for which the folder's rule does not hold. */
  readonly of: string
  /** What of ours it may import besides itself; `type x` means only for types. `*` is everything. */
  readonly ours: readonly string[]
  /** Packages and modules of the platform; `type x` as above. */
  readonly packages: readonly string[]
}

/** The first rule that fits a file counts. */
export const FOLDER_RULES: readonly FolderRule[] = [
  { of: 'main.ts', ours: ['production.ts', 'podstep.ts', 'feed-program.ts', 'feeds/start-process.ts'], packages: [] },
  { of: 'podstep.ts', ours: ['cli/'], packages: ['node:os'] },
  { of: 'production.ts', ours: [], packages: [] },
  { of: 'app.ts', ours: ['*'], packages: ['type bun:sqlite', 'node:path'] },
  { of: 'jobs.ts', ours: ['type domain/', 'type platform/'], packages: [] },
  { of: 'outside.ts', ours: ['*'], packages: ['node:path', 'node:url'] },
  // The process beside the server: no database, no requests.
  { of: 'feed-program.ts', ours: ['feed-sources.ts', 'feeds/', 'platform/timer.ts'], packages: ['node:process'] },
  { of: 'feed-sources.ts', ours: ['feeds/', 'outbound/'], packages: [] },
  { of: 'text.d.ts', ours: [], packages: [] },
  {
    of: 'cli/web-client.ts',
    // The one place that carries the built web client.
    ours: ['cli/', 'http/web-files.ts', '../dist/'],
    packages: [],
  },
  {
    of: 'cli/',
    ours: [
      'app.ts',
      'type jobs.ts',
      'config/',
      'platform/',
      // For telling a refusal from a bug; all else of the domain is reached through the application.
      'domain/errors.ts',
      'type domain/',
      'store/sqlite/open.ts',
      'store/sqlite/migrate.ts',
      'store/sqlite/run-marker.ts',
      '../package.json',
    ],
    packages: [
      'node:fs',
      'node:http',
      'type node:os',
      'node:path',
      'node:util',
      'node:timers/promises',
      'type node:tty',
      'croner',
    ],
  },
  { of: 'config/', ours: ['platform/secret.ts'], packages: ['node:path', 'smol-toml', 'ipaddr.js'] },
  { of: 'platform/', ours: [], packages: ['node:crypto', 'croner', 'pino', 'lru-cache'] },
  // Business rules know no package and no engine.
  { of: 'domain/', ours: ['platform/'], packages: [] },
  { of: 'formats/', ours: ['domain/'], packages: [] },
  // The two ways to other servers.
  { of: 'mail/', ours: ['domain/', 'formats/', 'platform/'], packages: ['nodemailer'] },
  {
    of: 'outbound/',
    ours: ['domain/', 'platform/'],
    packages: ['ipaddr.js', 'node:dns/promises', 'node:stream', 'node:stream/promises', 'node:zlib'],
  },
  {
    of: 'feeds/',
    ours: ['domain/', 'outbound/', 'platform/'],
    packages: ['fast-xml-parser', 'entities', 'sanitize-html', 'node:fs', 'node:os', 'node:process'],
  },
  {
    of: 'artwork/',
    ours: ['domain/', 'outbound/', 'platform/'],
    packages: ['node:fs/promises', 'node:path', 'node:zlib'],
  },
  { of: 'sso/', ours: ['domain/', 'platform/'], packages: ['oauth4webapi'] },
  { of: 'store/sqlite/migrations.ts', ours: ['../migrations/'], packages: [] },
  {
    of: 'store/sqlite/',
    ours: ['domain/', 'platform/next-turn.ts'],
    packages: ['bun:sqlite', 'drizzle-orm', 'node:fs', 'node:os', 'node:path', 'node:crypto', 'node:sqlite'],
  },
  {
    of: 'http/',
    ours: ['domain/', 'formats/', 'platform/'],
    packages: ['elysia', 'ipaddr.js', 'node:buffer', 'node:stream', 'node:util', 'node:zlib'],
  },
  // Runs in browsers, and knows of the server what its API says.
  {
    of: 'web/',
    ours: ['domain/feed-url.ts', 'platform/decode-text.ts'],
    packages: ['preact', 'preact/hooks', 'preact-iso', '@preact/signals', 'uqr'],
  },
]

/** Files of `domain/` that do something; they get each other handed in by `app.ts`, and import of one another types at most. */
export const SERVICES: readonly string[] = [
  'account-export',
  'accounts',
  'administration',
  'artwork',
  'authentication',
  'backups',
  'database-check',
  'device-contacts',
  'devices',
  'directory',
  'directory-keeper',
  'episode-actions',
  'external-directory',
  'feed-health',
  'feed-keeping',
  'feed-on-demand',
  'feeds',
  'housekeeping',
  'library',
  'listening',
  'mail-queue',
  'own-account',
  'password-check',
  'podcast-lookup',
  'search',
  'server-status',
  'server-info',
  'sessions',
  'settings',
  'single-sign-on',
  'subscriptions',
  'sync-groups',
  'upgrade-probe',
  'upgrades',
].map((name) => `domain/${name}.ts`)

export interface OwnedRule {
  readonly what: string
  readonly pattern: RegExp
  /** The files, or folders, that own it. */
  readonly homes: readonly string[]
}

/** What makes a program hard to test when it is everywhere. `new Date(value)` is arithmetic and free. */
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
    homes: ['platform/crypto.ts'],
  },
  {
    what: 'the global crypto',
    pattern: /(?<![\w./:'])crypto\b(?!\.ts)|\bBun\.CryptoHasher\b/,
    homes: ['platform/crypto.ts'],
  },
  { what: 'password hashing', pattern: /\bBun\.password\b/, homes: ['platform/password.ts'] },
  { what: 'the console', pattern: /\bconsole\b/, homes: [] },
  {
    what: 'the process',
    pattern: /(?<![\w.])process\b|\bBun\.(?:env|argv|stdin|stdout|stderr|spawn\w*|exit)\b/,
    homes: ['main.ts', 'production.ts', 'podstep.ts', 'feed-program.ts', 'feeds/start-process.ts'],
  },
  { what: 'the environment', pattern: /\bimport\.meta\.env\b/, homes: [] },
  {
    what: 'the network, outwards',
    pattern: /(?<![\w.])fetch\(|\bBun\.connect\b|\bnew WebSocket\b/,
    homes: ['cli/healthcheck.ts', 'outbound/guarded-fetch.ts', 'web/api/client.ts'],
  },
  { what: 'the network, inwards', pattern: /\bBun\.(?:serve|listen)\b/, homes: ['cli/serve.ts'] },
  {
    what: 'timers',
    pattern: /\bset(?:Timeout|Interval)\b/,
    homes: ['cli/serve.ts', 'platform/timer.ts', 'store/sqlite/write-queue.ts', 'web/'],
  },
]

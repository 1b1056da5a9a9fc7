import { version } from '../../package.json'

const SETTINGS = `
  --config FILE     settings file (default: ./config.toml, else /etc/podstep/config.toml)
  --data-dir DIR    folder of the database (default: ./data)`

const HELP = `podstep keeps podcast subscriptions and listening positions in step across devices.

Usage: podstep [COMMAND] [OPTIONS]

Commands:
  serve          run the server (the default)
  check-config   print the settings in effect, or their errors
  doctor         find problems and suggest remedies
  user           create, list and change accounts
  import         import an account from another server or a file
  export         write an account to a file
  backup         copy the database, even while the server runs
  restore        replace the database with a backup
  copy           copy the database between SQLite and PostgreSQL
  demo           run a throw-away server for app authors
  mail           send a test email
  healthcheck    exit with 0 if the server on this machine works; for containers
  version        print the version
  help           print this

"podstep COMMAND --help" describes a command. Settings go into config.toml or into the environment (SVC_...).
`

const COMMANDS: Readonly<Record<string, string>> = {
  serve: `Usage: podstep [serve] [OPTIONS]

Runs the server until SIGTERM or SIGINT. Without any configuration it listens on port 8080 and keeps its database in
./data. The first account that registers becomes administrator.

Options:${SETTINGS}
  --host HOST       address to listen on (default: 0.0.0.0)
  --port PORT       port to listen on (default: 8080); 0 picks a free one
`,
  'check-config': `Usage: podstep check-config [OPTIONS]

Prints every setting in effect and where it comes from; secrets stay hidden. If any are wrong, lists all errors and
exits with 2.

Options:${SETTINGS}
`,
  doctor: `Usage: podstep doctor [OPTIONS]

Checks settings, data folder, disk space, database and the last backup, and, as far as they are set up: the running
server, whether base_url leads to it without a redirect, the clock, the mail server, OpenID Connect and the external
directory. Reports the result of each check and what to do. Changes nothing and sends no mail; works with and without a
running server. Run it as the user that the server runs as.

Exit code 0 if nothing is wrong or there are only warnings; 1 if there are errors; 2 if the settings are wrong.

Options:
  --json            all results as JSON, on standard output
  --port PORT       port of the running server, if it was started with --port${SETTINGS}
`,
  user: `Usage: podstep user COMMAND [OPTIONS]

  user create NAME [--admin] [--email ADDRESS]
  user list [--json]
  user set-password NAME           ends all sessions and app passwords of the user
  user set-role NAME admin|user
  user activate NAME
  user deactivate NAME             ends all sessions of the user
  user reset-second-factor NAME    for a user who has lost the authenticator app
  user delete NAME [--yes]         with all data of the account

Also works while the server runs. Prompts for passwords on a terminal; otherwise reads the first line of standard input.

Options:${SETTINGS}
`,
  import: `Usage: podstep import --from URL --user NAME --to USER [OPTIONS]
       podstep import --from FILE --to USER [OPTIONS]

Imports devices, subscriptions, history and settings into the account USER of this server. Existing data of the account
stays unchanged, so the command can be repeated; it continues where it was interrupted. If the server is running, it
does the work. Prompts for the password of the other account on a terminal; otherwise reads the first line of standard
input.

A file is an archive of "podstep export", the database export of AntennaPod, the Database of gPodder, or OPML. A server
is another podstep, one with the API of gpodder.net, or Nextcloud with GPodder Sync. In a private network a running
server reaches only what import_allow_private allows.

Options:
  --from URL|FILE   what to import
  --user NAME       the account on the other server
  --to USER         the account on this one
  --kind KIND       type of the other server, gpodder or nextcloud; by default, it is detected
  --port PORT       port of the running server, if it was started with --port${SETTINGS}
`,
  export: `Usage: podstep export USER [OPTIONS]

Writes the archive of an account, with everything that the user owns, to standard output. "podstep import" reads it. If
the server is running, it does the work.

Options:
  --out FILE        write into this file instead
  --opml            only the subscriptions of all devices, as OPML
  --csv             only the listening history, as CSV
  --port PORT       port of the running server, if it was started with --port${SETTINGS}
`,
  backup: `Usage: podstep backup [FILE] [OPTIONS]

Copies the database, whether or not a server is using it. The copy is a consistent snapshot, is checked, and gets its
name only when it is complete; only its owner can read it. Without FILE it goes into "backups" in the data folder, named
like a scheduled backup; if FILE is a folder, it goes there under that name. With "-" it is written to standard output.
A backup of PostgreSQL (setting database) is an SQLite database file, too, which "podstep restore" reads on any machine;
for large databases pg_dump is faster.

Exit code 0 if the copy is good; 1, with the reason, if it failed; 130 if it was interrupted.

Options:
  -f, --force       replace an existing file${SETTINGS}
`,
  restore: `Usage: podstep restore FILE [OPTIONS]

Replaces the database with a backup. Stop the server first. The backup is copied and checked before anything is changed;
the previous database is kept in the data folder as podstep-TIME-before-restore.db and can be restored in the same way.
A backup of an older version is upgraded; one of a newer version is refused.

Options:
  -y, --yes         do not ask${SETTINGS}
`,
  copy: `Usage: podstep copy --from SOURCE --to TARGET

Copies the whole database, from SQLite to PostgreSQL or from PostgreSQL to SQLite, and compares every table afterwards.
One of the two is a data folder or an SQLite database file, the other the URL of a PostgreSQL database. As a target, an
SQLite file must not exist yet, and a PostgreSQL database must be empty. The source must be of this version; it is not
changed.

The copy is a snapshot of the moment it began. Later writes of a running server are not in it: to move, stop the server
first. Search is complete again some minutes after a server was started on the copy. Pictures and files that are being
imported are not in the database; to keep them, copy the rest of the data folder as well.

To go back to a backup on PostgreSQL, restore it into an empty data folder first, and copy that: "podstep restore" makes
sure that apps miss nothing.

Everyone on this machine can read arguments while a command runs. Leave the password out of the URL, and pass it in the
environment variable PGPASSWORD.

Exit code 0 if the copy is complete; 1, with the reason, if it failed; 130 if it was interrupted.

Options:
  --from SOURCE     folder, file or postgres://USER@HOST/DATABASE
  --to TARGET       the same
`,
  demo: `Usage: podstep demo [OPTIONS]

Runs a throw-away server for app authors: three users with devices, a sync group, a history, favorites and lists, and 12
podcasts with covers and (silent) episodes, which it serves itself. Prints addresses, passwords and requests to try;
then a line for each request to the API. Content is the same at every start, so that tests can rely on it; its dates
lead up to today unless --dates says otherwise.

The database is in a temporary folder (below $TMPDIR, else /tmp), which is removed when the demo is stopped with Ctrl-C,
by SIGTERM or by closing the terminal; only SIGKILL leaves it. Settings from files and from the environment are ignored,
and ./data is not touched. There are no rate limits, and registration is open.

Options:
  --host HOST       address to listen on (default: 127.0.0.1). The passwords are public. With 0.0.0.0 the feeds are at
                    this machine's address in the network
  --port PORT       port to listen on (default: 8080); 0 picks a free one. It is part of the addresses of the feeds
  --dates WHEN      today (default): episodes and history lead up to the day of the start. fixed: they end on 30 June
                    2025, for tests and screenshots
  --empty           users without devices, subscriptions and history
`,
  mail: `Usage: podstep mail test ADDRESS [OPTIONS]

Sends a test email at once, with the settings smtp_..., and prints the reason if that fails. Also works while the
server runs.

Options:${SETTINGS}
`,
  healthcheck: `Usage: podstep healthcheck [OPTIONS]

Asks the server on this machine, at the port or socket of its settings, whether it can write its database. Exits with 0
if so, else with 1.

Options:${SETTINGS}
  --port PORT       port to ask, if the server was started with --port
`,
  help: 'Usage: podstep help [COMMAND]\n\nExplains a command, or lists all.\n',
  version: 'Usage: podstep version\n\nPrints the version.\n',
}

export function hasHelp(command: string): boolean {
  return Object.hasOwn(COMMANDS, command)
}

export function helpText(command?: string): string {
  return (command !== undefined && COMMANDS[command]) || HELP
}

export const VERSION: string = version

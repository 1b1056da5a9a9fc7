import { version } from '../../package.json'

const SETTINGS = `
  --config FILE     settings file (default: ./config.toml, else /etc/podstep/config.toml)
  --data-dir DIR    folder of the database (default: ./data)`

const HELP = `podstep keeps podcast subscriptions and listening positions in step across devices.

Usage: podstep [COMMAND] [OPTIONS]

Commands:
  serve          run the server (the default)
  check-config   print the settings in effect, or everything that is wrong with them
  doctor         look for what is wrong here, and say what to do
  user           create, list and change accounts
  import         move an account in, from another server or a file
  export         write everything of an account into a file
  backup         copy the database, beside a running server as well
  restore        put a backup in the place of the database
  copy           copy the database from SQLite to PostgreSQL, or back
  demo           run a throw-away server with users and feeds, for people who write apps
  mail           send a test email
  healthcheck    exit code 0 while the server on this machine works; for containers
  version        print the version
  help           print this

"podstep COMMAND --help" tells more. Every setting can be given in config.toml or in the environment (SVC_...).
`

const COMMANDS: Readonly<Record<string, string>> = {
  serve: `Usage: podstep [serve] [OPTIONS]

Runs the server until SIGTERM or SIGINT. Without any configuration it listens on port 8080 and keeps its database in ./data.
The first account that registers becomes administrator.

Options:${SETTINGS}
  --host HOST       address to listen on (default: 0.0.0.0)
  --port PORT       port to listen on (default: 8080); 0 picks a free one
`,
  'check-config': `Usage: podstep check-config [OPTIONS]

Prints every setting in effect and where it comes from; secrets stay hidden. Exit code 2 and a list of all mistakes if there
are any.

Options:${SETTINGS}
`,
  doctor: `Usage: podstep doctor [OPTIONS]

Checks settings, data folder, disk space, database and the last backup, and, as far as they are set up: the running server,
whether base_url leads to it without a redirect, the clock, the mail server, OpenID Connect and the external directory. Says
of each what was seen and what to do. Changes nothing and sends no mail; works with and without a running server. Run it
as the user that the server runs as.

Exit code 0 if nothing is wrong or there are only warnings; 1 if there are errors; 2 if the settings are wrong.

Options:
  --json            all results as JSON, on standard output
  --port PORT       port of the running server, if it was given to it in the same way${SETTINGS}
`,
  user: `Usage: podstep user COMMAND [OPTIONS]

  user create NAME [--admin] [--email ADDRESS]
  user list [--json]
  user set-password NAME           ends all sessions and app passwords of the user
  user set-role NAME admin|user
  user activate NAME
  user deactivate NAME             ends all sessions of the user
  user reset-second-factor NAME    for somebody who has lost the authenticator app
  user delete NAME [--yes]         with everything of the account

Works beside a running server. Passwords are asked for at a terminal; otherwise the first line of standard input is taken.

Options:${SETTINGS}
`,
  import: `Usage: podstep import --from URL --user NAME --to USER [OPTIONS]
       podstep import --from FILE --to USER [OPTIONS]

Moves devices, subscriptions, history and settings into the account USER of this server. What the account has already stays
as it is, so the same command may be repeated, and goes on where it was interrupted. Works beside a running server, which
then does the work. The password there is asked for at a terminal; otherwise the first line of standard input is taken.

A file is an archive of "podstep export", the database export of AntennaPod, the Database of gPodder, or OPML. A server is
another podstep, one with the API of gpodder.net, or Nextcloud with GPodder Sync. In a private network a running server
reaches only what import_allow_private allows.

Options:
  --from URL|FILE   what to import
  --user NAME       the account on the other server
  --to USER         the account on this one
  --kind KIND       what the other server is, gpodder or nextcloud; found out if left out
  --port PORT       port of the running server, if it was given to it in the same way${SETTINGS}
`,
  export: `Usage: podstep export USER [OPTIONS]

Writes the archive of an account, with everything that the user owns, to standard output. "podstep import" reads it. Works
beside a running server, which then does the work.

Options:
  --out FILE        write into this file instead
  --opml            only the subscriptions of all devices, as OPML
  --csv             only the listening history, as CSV
  --port PORT       port of the running server, if it was given to it in the same way${SETTINGS}
`,
  backup: `Usage: podstep backup [FILE] [OPTIONS]

Copies the database while a server is using it, or without one. The copy shows one moment, is checked, and gets its name
only when it is complete; nobody but its owner can read it. Without FILE it goes into "backups" in the data folder, under
the name that scheduled backups have; into a folder under the same name. With "-" it is written to standard output.
A backup of PostgreSQL (setting database) is a database file of SQLite, too, which "podstep restore" reads on any machine; for
large databases pg_dump is faster.

Exit code 0 if there is a good copy; 1 if there is none, and why; 130 if it was interrupted.

Options:
  -f, --force       replace a file that is there${SETTINGS}
`,
  restore: `Usage: podstep restore FILE [OPTIONS]

Puts a backup in the place of the database. Stop the server first. The backup is copied and checked before anything is
changed; the database that there was is kept in the data folder as podstep-TIME-before-restore.db, which can be restored
in the same way. A backup of an older version is brought up to date, one of a newer version is refused.

Options:
  -y, --yes         do not ask${SETTINGS}
`,
  copy: `Usage: podstep copy --from SOURCE --to TARGET

Copies the whole database, from SQLite to PostgreSQL or from PostgreSQL to SQLite, and compares every table afterwards. One
of the two is a data folder or a database file of SQLite, the other the URL of a database of PostgreSQL. SQLite's file must
not exist yet, and PostgreSQL's database must be empty. The source has to be of this version, and is not changed.

The copy shows the moment at which it began. What a running server writes after that is not in it: stop the server first to
move it. Search finds everything again some minutes after a server was started on the copy. Pictures and files that are being
imported are not in a database; copy the rest of the data folder as well to keep them.

To go back to a backup on PostgreSQL, restore it into an empty data folder first, and copy that: "podstep restore" makes sure
that apps miss nothing.

Everybody on this machine can read arguments while a command runs. Leave the password out of the URL, and give it in the
environment variable PGPASSWORD.

Exit code 0 if the copy is complete; 1 if there is none, and why; 130 if it was interrupted.

Options:
  --from SOURCE     folder, file or postgres://USER@HOST/DATABASE
  --to TARGET       the same
`,
  demo: `Usage: podstep demo [OPTIONS]

Runs a throw-away server for people who write apps: three users with devices, a sync group, a history, favorites and lists,
and 12 podcasts with covers and (silent) episodes, which it serves itself. Prints addresses, passwords and requests to
try; then a line for each request to the API. Content is the same at every start, so that tests can rely on it; its dates
lead up to today unless --dates says otherwise.

The database is in a temporary folder (below $TMPDIR, else /tmp), which is removed when the demo is stopped with Ctrl-C,
by SIGTERM or by closing the terminal; only SIGKILL leaves it. Settings from files and from the environment do not count,
and ./data is not touched. There are no rate limits, and everybody may register.

Options:
  --host HOST       address to listen on (default: 127.0.0.1). Everybody who reaches it knows the passwords. With 0.0.0.0
                    the feeds are at this machine's address in the network
  --port PORT       port to listen on (default: 8080); 0 picks a free one. It is part of the addresses of the feeds
  --dates WHEN      today (default): episodes and history lead up to the day of the start. fixed: they end on 30 June
                    2025, for tests and screenshots
  --empty           users without devices, subscriptions and history
`,
  mail: `Usage: podstep mail test ADDRESS [OPTIONS]

Sends a test email at once, with the settings smtp_..., and says why if that does not work. Works beside a running server.

Options:${SETTINGS}
`,
  healthcheck: `Usage: podstep healthcheck [OPTIONS]

Asks the server on this machine, at the port or socket of its settings, whether it can write its database. Exit code 0 for yes, 1 for no.

Options:${SETTINGS}
  --port PORT       port to ask, if it was given to the server in the same way
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

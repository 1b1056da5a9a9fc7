import type { Migration } from '../../../src/store/sqlite/core/migrate.ts'

/** A fictional migration: adds and fills a column, rebuilds a referenced table, and converts rows by code. */
export const NEXT: Migration = {
  name: '9999_next',
  sql: `ALTER TABLE users ADD nickname text;
--> statement-breakpoint
UPDATE users SET nickname = upper(username);
--> statement-breakpoint
CREATE TABLE new_groups (
  id integer PRIMARY KEY NOT NULL,
  user_id integer NOT NULL REFERENCES users (id) ON DELETE cascade,
  colour text DEFAULT 'grey' NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO new_groups (id, user_id) SELECT id, user_id FROM sync_groups;
--> statement-breakpoint
DROP TABLE sync_groups;
--> statement-breakpoint
ALTER TABLE new_groups RENAME TO sync_groups;
--> statement-breakpoint
CREATE INDEX sync_groups_user ON sync_groups (user_id);
--> statement-breakpoint
CREATE TABLE days (action_id integer PRIMARY KEY NOT NULL, day text NOT NULL) STRICT;`,
  convert(db, report) {
    const rows = db.query<{ id: number; at: number }, []>('SELECT id, at FROM episode_actions ORDER BY id').all()
    const insert = db.query('INSERT INTO days (action_id, day) VALUES (?1, ?2)')
    rows.forEach(({ id, at }, index) => {
      // Long enough to fill more than a page.
      insert.run(id, new Date(at * 1000).toDateString().repeat(100))
      report(index + 1, rows.length)
    })
  },
}

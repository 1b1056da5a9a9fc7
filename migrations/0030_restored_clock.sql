ALTER TABLE `users` ADD `restored_clock` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- Of the program that has applied it, so that an older one can name it.
ALTER TABLE schema_migrations ADD COLUMN version TEXT;

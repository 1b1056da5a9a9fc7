-- What each write to the lists of a user did (docs/protocol.md#undo).
CREATE TABLE `list_change_starts` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `list_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`at` integer NOT NULL,
	`device_id` integer,
	`kind` text NOT NULL,
	`app` text,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`changes` blob NOT NULL,
	`gone_device` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `list_changes_user` ON `list_changes` (`user_id`);--> statement-breakpoint
-- Of what there was before, nothing is known.
INSERT INTO `list_change_starts` (`user_id`, `at`) SELECT `id`, unixepoch() FROM `users`;

-- What apps did, for their users to see (docs/protocol.md#activity).
CREATE TABLE `activity` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	`count` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text,
	`device` text,
	`app` text,
	`is_browser` integer NOT NULL,
	`added` integer NOT NULL,
	`removed` integer NOT NULL,
	`items` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `activity_user` ON `activity` (`user_id`,kind = 'refused',`last_at`);

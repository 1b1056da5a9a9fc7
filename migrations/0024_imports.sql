CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`source` text NOT NULL,
	`label` text NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`has_file` integer NOT NULL,
	`cursor` text,
	`report` text NOT NULL,
	`error` text DEFAULT '' NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `imports_running` ON `imports` (`user_id`) WHERE state = 'running';
-- Sittings that are one action, and what was heard by actions that are gone (docs/protocol.md#D92, D93).
CREATE TABLE `heard_episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_episode_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `heard_episodes_user` ON `heard_episodes` (`user_id`);--> statement-breakpoint
CREATE INDEX `heard_episodes_user_episode` ON `heard_episodes` (`user_episode_id`);--> statement-breakpoint
CREATE TABLE `heard_stretches` (
	`user_id` integer NOT NULL,
	`at` integer NOT NULL,
	`heard_id` integer NOT NULL,
	`started` integer NOT NULL,
	`position` integer NOT NULL,
	PRIMARY KEY(`user_id`, `at`, `heard_id`, `started`, `position`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `episode_actions` ADD `heard_from` integer;--> statement-breakpoint
ALTER TABLE `episode_actions` ADD `folded_since` integer;--> statement-breakpoint
CREATE INDEX `action_uploads_first` ON `action_uploads` (`first_id`);

CREATE TABLE `chapters` (
	`user_id` integer NOT NULL,
	`target` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`label` text NOT NULL,
	`advertisement` integer NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`user_id`, `target`, `starts_at`, `ends_at`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `podcast_lists` (
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`feeds` integer NOT NULL,
	`created_at` integer NOT NULL,
	`urls` text NOT NULL,
	PRIMARY KEY(`user_id`, `name`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `settings` ADD `favorite_at` integer;--> statement-breakpoint
CREATE INDEX `settings_favorite` ON `settings` (`user_id`,`favorite_at`) WHERE favorite_at IS NOT NULL;--> statement-breakpoint
UPDATE `settings` SET `favorite_at` = 0 WHERE scope = 'episode' AND value -> '$.is_favorite' = 'true';

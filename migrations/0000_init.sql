CREATE TABLE `devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`uid` text NOT NULL,
	`caption` text NOT NULL,
	`type` text NOT NULL,
	`sync_group_id` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`sync_group_id`) REFERENCES `sync_groups`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_user_uid` ON `devices` (`user_id`,`uid`);--> statement-breakpoint
CREATE INDEX `devices_sync_group` ON `devices` (`sync_group_id`);--> statement-breakpoint
CREATE TABLE `episode_actions` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`episode_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`at` integer NOT NULL,
	`seq` integer NOT NULL,
	`device` text NOT NULL,
	`started` integer NOT NULL,
	`position` integer NOT NULL,
	`total` integer NOT NULL,
	`guid` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `episode_actions_user_seq` ON `episode_actions` (`user_id`,`seq`);--> statement-breakpoint
CREATE INDEX `episode_actions_user_at` ON `episode_actions` (`user_id`,`at`);--> statement-breakpoint
CREATE UNIQUE INDEX `episode_actions_distinct` ON `episode_actions` (`user_id`,`episode_id`,`at`,`kind`,`device`,`started`,`position`,`total`);--> statement-breakpoint
CREATE TABLE `episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`podcast_id` integer NOT NULL,
	`url` text NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `episodes_podcast_url` ON `episodes` (`podcast_id`,`url`);--> statement-breakpoint
CREATE TABLE `podcasts` (
	`id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `podcasts_url_unique` ON `podcasts` (`url`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`token_hash` blob NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`,`used_at`);--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`device_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`subscribed` integer NOT NULL,
	`seq` integer NOT NULL,
	PRIMARY KEY(`device_id`, `podcast_id`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriptions_device_seq` ON `subscriptions` (`device_id`,`seq`);--> statement-breakpoint
CREATE INDEX `subscriptions_podcast` ON `subscriptions` (`podcast_id`) WHERE subscribed = 1;--> statement-breakpoint
CREATE TABLE `sync_groups` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_groups_user` ON `sync_groups` (`user_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`email` text,
	`email_key` text,
	`password_hash` text,
	`is_admin` integer DEFAULT false NOT NULL,
	`state` text NOT NULL,
	`clock` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key_unique` ON `users` (`username_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_key_unique` ON `users` (`email_key`);

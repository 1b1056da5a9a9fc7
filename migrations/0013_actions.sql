-- Stored actions take half the room: numbers instead of texts, one narrow index, and what is new since a logical time is found by upload.
-- The rows themselves are copied by src/store/sqlite/core/convert-actions.ts, which also makes the indexes and drops the old table.
ALTER TABLE `episode_actions` RENAME TO `old_actions`;--> statement-breakpoint
CREATE TABLE `action_devices` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`uid` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `action_devices_user_uid` ON `action_devices` (`user_id`,`uid`);--> statement-breakpoint
CREATE TABLE `action_uploads` (
	`device_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`first_id` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`device_id`, `seq`, `first_id`),
	FOREIGN KEY (`device_id`) REFERENCES `action_devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `user_episodes` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`episode_id` integer NOT NULL,
	`guid` text,
	`last_action_id` integer NOT NULL,
	`state_action_id` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `episode_actions` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_episode_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`previous_id` integer,
	`kind` integer NOT NULL,
	`at` integer NOT NULL,
	`hash` integer NOT NULL,
	`started` integer,
	`position` integer,
	`total` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `action_hash` (
	`episode` integer NOT NULL,
	`device` integer NOT NULL,
	`kind` integer NOT NULL,
	`started` integer NOT NULL,
	`position` integer NOT NULL,
	`total` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `action_hash` VALUES (random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575, random() & 1048575);

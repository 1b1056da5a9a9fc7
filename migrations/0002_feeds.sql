CREATE TABLE `episode_details` (
	`episode_id` integer PRIMARY KEY NOT NULL,
	`podcast_id` integer NOT NULL,
	`fingerprint` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`website` text NOT NULL,
	`released` integer,
	`guid` text NOT NULL,
	`duration` integer,
	`size` integer,
	`mime_type` text NOT NULL,
	`image_url` text NOT NULL,
	`chapters_url` text NOT NULL,
	`transcript_url` text NOT NULL,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `episode_details_released` ON `episode_details` (`podcast_id`,`released`);--> statement-breakpoint
CREATE TABLE `podcast_details` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`author` text NOT NULL,
	`description` text NOT NULL,
	`website` text NOT NULL,
	`logo_url` text NOT NULL,
	`language` text NOT NULL,
	`tags` text NOT NULL,
	`guid` text NOT NULL,
	`is_blocked` integer NOT NULL,
	`funding_url` text NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `podcasts` ADD `etag` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `last_modified` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `body_hash` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `checked_at` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `succeeded_at` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `next_check_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `failures` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `error_reason` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `error` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `moved_to` text;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `ttl` integer;--> statement-breakpoint
CREATE INDEX `podcasts_next_check` ON `podcasts` (`next_check_at`);
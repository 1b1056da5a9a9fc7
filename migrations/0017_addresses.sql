CREATE TABLE `address_claims` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`tried_at` integer,
	`is_true` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `address_claims_open` ON `address_claims` (`tried_at`) WHERE is_true = 0;--> statement-breakpoint
CREATE TABLE `address_edges` (
	`podcast_id` integer NOT NULL,
	`kind` text NOT NULL,
	`leads_to` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `kind`, `leads_to`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`leads_to`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `address_edges_leads_to` ON `address_edges` (`leads_to`);--> statement-breakpoint
CREATE TABLE `address_guids` (
	`podcast_id` integer NOT NULL,
	`guid` text NOT NULL,
	PRIMARY KEY(`podcast_id`, `guid`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `address_relations` (
	`podcast_id` integer NOT NULL,
	`other_id` integer NOT NULL,
	`relation` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `other_id`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `replaced_addresses` (
	`device_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	PRIMARY KEY(`device_id`, `podcast_id`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `replaced_addresses_podcast` ON `replaced_addresses` (`podcast_id`);--> statement-breakpoint
ALTER TABLE `podcasts` ADD `has_aliases` integer DEFAULT false NOT NULL;
ALTER TABLE `episode_details` ADD `season` integer;--> statement-breakpoint
ALTER TABLE `episode_details` ADD `is_explicit` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `episode_details` ADD `chapters` text DEFAULT '' NOT NULL;
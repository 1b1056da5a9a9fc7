ALTER TABLE `episode_details` ADD `is_listed` integer DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX `episode_details_unlisted` ON `episode_details` (`podcast_id`) WHERE is_listed = 0;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `is_inside` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `settings_episode` ON `settings` (`target`) WHERE scope = 'episode';
-- Rows of one media URL that actions have named by several guids (docs/protocol.md#D84).
DROP INDEX `user_episodes_user_episode`;--> statement-breakpoint
ALTER TABLE `user_episodes` ADD `is_former` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_former` ON `user_episodes` (`user_id`,`episode_id`,`guid`) WHERE is_former = 1;--> statement-breakpoint
CREATE INDEX `user_episodes_user_episode` ON `user_episodes` (`user_id`,`episode_id`,`is_former`);
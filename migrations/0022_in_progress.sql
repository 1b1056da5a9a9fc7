-- Episodes that were begun and not finished (docs/protocol.md#D90), by the time at which they were last heard.
ALTER TABLE `joined_episodes` ADD `progress_at` integer;--> statement-breakpoint
ALTER TABLE `user_episodes` ADD `progress_at` integer;--> statement-breakpoint
UPDATE `user_episodes` SET `progress_at` = a.`at` FROM `episode_actions` a
WHERE a.`id` = `user_episodes`.`state_action_id` AND a.`kind` = 0 AND a.`position` > 0
	AND (a.`total` IS NULL OR a.`total` = 0 OR a.`position` < a.`total`);
--> statement-breakpoint
UPDATE `joined_episodes` SET `progress_at` = a.`at` FROM `episode_actions` a
WHERE a.`id` = `joined_episodes`.`state_action_id` AND a.`kind` = 0 AND a.`position` > 0
	AND (a.`total` IS NULL OR a.`total` = 0 OR a.`position` < a.`total`);
--> statement-breakpoint
CREATE INDEX `joined_episodes_progress` ON `joined_episodes` (`user_id`,`progress_at`) WHERE progress_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_episodes_progress` ON `user_episodes` (`user_id`,`progress_at`) WHERE progress_at IS NOT NULL AND joined_id IS NULL;

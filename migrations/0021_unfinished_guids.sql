-- Guids that an upload of episode actions has replaced which is being written job by job.
CREATE TABLE `unfinished_guids` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`user_episode_id` integer NOT NULL,
	`guid` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `unfinished_guids_user` ON `unfinished_guids` (`user_id`);
CREATE TABLE `provisional_titles` (
	`user_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`title` text NOT NULL,
	PRIMARY KEY(`user_id`, `podcast_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `provisional_titles_podcast` ON `provisional_titles` (`podcast_id`);
-- Removals of addresses that a device never had (docs/protocol.md#late-removals).
CREATE TABLE `late_removals` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`device_id` integer NOT NULL,
	`url` text NOT NULL,
	`is_added` integer NOT NULL,
	`seq` integer NOT NULL,
	`at` integer NOT NULL,
	`is_due` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `late_removals_device` ON `late_removals` (`device_id`,`url`);--> statement-breakpoint
CREATE INDEX `late_removals_user` ON `late_removals` (`user_id`);--> statement-breakpoint
CREATE INDEX `late_removals_url` ON `late_removals` (`url`);--> statement-breakpoint
CREATE INDEX `late_removals_at` ON `late_removals` (`at`);--> statement-breakpoint
CREATE INDEX `late_removals_due` ON `late_removals` (`id`) WHERE is_due = 1;
CREATE TABLE `unfinished_renames` (
	`id` integer PRIMARY KEY NOT NULL,
	`device_id` integer NOT NULL,
	`old_id` integer NOT NULL,
	`new_id` integer NOT NULL,
	`was_replaced` integer NOT NULL,
	`seq` integer,
	`previous_seq` integer,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `unfinished_renames_device` ON `unfinished_renames` (`device_id`);
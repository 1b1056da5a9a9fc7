CREATE TABLE `app_passwords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`password_hash` blob NOT NULL,
	`name` text NOT NULL,
	`scope` text NOT NULL,
	`created_at` integer NOT NULL,
	`used_at` integer,
	`client` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `app_passwords_password_hash_unique` ON `app_passwords` (`password_hash`);--> statement-breakpoint
CREATE INDEX `app_passwords_user` ON `app_passwords` (`user_id`);--> statement-breakpoint
CREATE TABLE `login_flows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`poll_hash` blob NOT NULL,
	`page_hash` blob NOT NULL,
	`user_agent` text NOT NULL,
	`expires_at` integer NOT NULL,
	`user_id` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `login_flows_poll_hash_unique` ON `login_flows` (`poll_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `login_flows_page_hash_unique` ON `login_flows` (`page_hash`);--> statement-breakpoint
CREATE INDEX `login_flows_expires` ON `login_flows` (`expires_at`);--> statement-breakpoint
CREATE INDEX `login_flows_user` ON `login_flows` (`user_id`) WHERE user_id IS NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `app_password_id` integer REFERENCES app_passwords(id) ON DELETE cascade;--> statement-breakpoint
CREATE INDEX `sessions_app_password` ON `sessions` (`app_password_id`) WHERE app_password_id IS NOT NULL;
CREATE TABLE `webhook_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`content` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `webhooks`(`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_messages_user` ON `webhook_messages` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_messages_created` ON `webhook_messages` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`event` text NOT NULL,
	`at` integer NOT NULL,
	`podcast_id` integer,
	`episode_id` integer,
	`device` text,
	FOREIGN KEY (`user_id`) REFERENCES `webhooks`(`user_id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_news_user` ON `webhook_news` (`user_id`,`event`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`format` text NOT NULL,
	`secret` text NOT NULL,
	`tells_episodes` integer NOT NULL,
	`tells_devices` integer NOT NULL,
	`tells_failures` integer NOT NULL,
	`off_reason` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer DEFAULT 0 NOT NULL,
	`delivered_at` integer,
	`failed_at` integer,
	`error` text,
	`dropped` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;--> statement-breakpoint
CREATE TRIGGER `devices_insert` AFTER INSERT ON devices BEGIN
	INSERT INTO webhook_news (user_id, event, at, device)
	SELECT w.user_id, 'new_device', NEW.created_at, NEW.uid FROM webhooks w
	 WHERE w.user_id = NEW.user_id AND w.tells_devices = 1 AND w.off_reason IS NULL
	   AND (SELECT COUNT(*) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = 'new_device') < 500;
END;

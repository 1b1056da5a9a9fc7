CREATE TABLE `subscription_counts` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`subscriptions` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `unfinished_writes` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`new_device_id` integer,
	`gone_device_id` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `previous_seq` integer;--> statement-breakpoint
DROP TRIGGER `subscriptions_insert`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions WHEN NEW.subscribed = 1 BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + 1;
	INSERT INTO subscription_counts (user_id, subscriptions) SELECT d.user_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id) DO UPDATE SET subscriptions = subscriptions + 1;
END;--> statement-breakpoint
DROP TRIGGER `subscriptions_update`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + NEW.subscribed - OLD.subscribed;
	UPDATE subscription_counts SET subscriptions = subscriptions + NEW.subscribed - OLD.subscribed
	 WHERE user_id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
DROP TRIGGER `subscriptions_delete`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_delete` AFTER DELETE ON subscriptions WHEN OLD.subscribed = 1 BEGIN
	UPDATE listeners SET devices = devices - 1
	 WHERE podcast_id = OLD.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
	UPDATE subscription_counts SET subscriptions = subscriptions - 1
	 WHERE user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
END;--> statement-breakpoint
INSERT INTO subscription_counts (user_id, subscriptions)
	SELECT d.user_id, SUM(s.subscribed) FROM subscriptions s JOIN devices d ON d.id = s.device_id GROUP BY d.user_id;

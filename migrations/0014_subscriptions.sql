-- A subscription takes a quarter less room: without the index by podcast, and so without the foreign key that needed it. A podcast with
-- listeners, who are all that has or had a subscription to it, cannot be removed.
DROP TRIGGER `devices_delete`;--> statement-breakpoint
ALTER TABLE `subscriptions` RENAME TO `old_subscriptions`;--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`device_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`subscribed` integer NOT NULL,
	`seq` integer NOT NULL,
	`previous_seq` integer,
	PRIMARY KEY(`device_id`, `podcast_id`),
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `subscriptions` SELECT * FROM `old_subscriptions`;--> statement-breakpoint
DROP TABLE `old_subscriptions`;--> statement-breakpoint
CREATE INDEX `subscriptions_device_seq` ON `subscriptions` (`device_id`,`seq`);--> statement-breakpoint
-- As they were.
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions WHEN NEW.subscribed = 1 BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + 1;
	UPDATE users SET subscription_count = subscription_count + 1
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + NEW.subscribed - OLD.subscribed;
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed - OLD.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_delete` AFTER DELETE ON subscriptions WHEN OLD.subscribed = 1 BEGIN
	UPDATE listeners SET devices = devices - 1
	 WHERE podcast_id = OLD.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
	UPDATE users SET subscription_count = subscription_count - 1
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
END;--> statement-breakpoint
-- Before the rows that tell whose they are have gone.
CREATE TRIGGER `devices_delete` BEFORE DELETE ON devices BEGIN
	DELETE FROM subscriptions WHERE device_id = OLD.id;
	DELETE FROM settings WHERE user_id = OLD.user_id AND scope = 'device' AND target = OLD.uid;
END;--> statement-breakpoint
-- What the foreign key refused.
CREATE TRIGGER `podcasts_delete` BEFORE DELETE ON podcasts
	WHEN EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = OLD.id) BEGIN
	SELECT RAISE(ABORT, 'a podcast with listeners cannot be removed');
END;

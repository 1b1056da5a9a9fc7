-- The count of a user's subscriptions moves into the user's row, which every upload of changes writes anyway.
ALTER TABLE `users` ADD `subscription_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `users` SET `subscription_count` = IFNULL((SELECT c.subscriptions FROM subscription_counts c WHERE c.user_id = users.id), 0);--> statement-breakpoint
DROP TRIGGER `subscriptions_insert`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions WHEN NEW.subscribed = 1 BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + 1;
	UPDATE users SET subscription_count = subscription_count + 1
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
DROP TRIGGER `subscriptions_update`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + NEW.subscribed - OLD.subscribed;
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed - OLD.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
DROP TRIGGER `subscriptions_delete`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_delete` AFTER DELETE ON subscriptions WHEN OLD.subscribed = 1 BEGIN
	UPDATE listeners SET devices = devices - 1
	 WHERE podcast_id = OLD.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
	UPDATE users SET subscription_count = subscription_count - 1
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
END;--> statement-breakpoint
DROP TABLE `subscription_counts`;

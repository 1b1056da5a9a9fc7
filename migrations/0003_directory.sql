CREATE TABLE `directory_queue` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `listeners` (
	`user_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	`devices` integer NOT NULL,
	PRIMARY KEY(`user_id`, `podcast_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `listeners_podcast` ON `listeners` (`podcast_id`,`devices`);--> statement-breakpoint
CREATE TABLE `podcast_tags` (
	`podcast_id` integer NOT NULL,
	`tag_id` integer NOT NULL,
	`is_listed` integer NOT NULL,
	`subscribers` integer NOT NULL,
	`sort_key` text NOT NULL,
	PRIMARY KEY(`podcast_id`, `tag_id`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `podcast_tags_order` ON `podcast_tags` (`tag_id`,`is_listed`,subscribers DESC,`sort_key`,`podcast_id`);--> statement-breakpoint
CREATE TABLE `search_documents` (
	`podcast_id` integer PRIMARY KEY NOT NULL,
	`document_id` integer NOT NULL,
	`fingerprint` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `search_words` (
	`word` text PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `settings` (
	`user_id` integer NOT NULL,
	`scope` text NOT NULL,
	`target` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`user_id`, `scope`, `target`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `subscriber_history` (
	`podcast_id` integer NOT NULL,
	`day` integer NOT NULL,
	`subscribers` integer NOT NULL,
	PRIMARY KEY(`podcast_id`, `day`),
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `subscriber_history_day` ON `subscriber_history` (`day`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`title` text NOT NULL,
	`usage` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_slug_unique` ON `tags` (`slug`);--> statement-breakpoint
CREATE INDEX `tags_usage` ON `tags` (`usage`,`slug`);--> statement-breakpoint
DROP INDEX `subscriptions_podcast`;--> statement-breakpoint
CREATE INDEX `subscriptions_podcast` ON `subscriptions` (`podcast_id`);--> statement-breakpoint
ALTER TABLE `podcasts` ADD `subscribers` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `is_local` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `is_private` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `is_secret` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `subscribers_last_week` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `position_last_week` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `probed_at` integer;--> statement-breakpoint
ALTER TABLE `podcasts` ADD `works_by_https` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `podcasts_strangers` ON `podcasts` (`created_at`) WHERE is_local = 0;--> statement-breakpoint
CREATE INDEX `podcasts_last_week` ON `podcasts` (`position_last_week`) WHERE position_last_week > 0;--> statement-breakpoint
CREATE INDEX `episode_actions_episode` ON `episode_actions` (`episode_id`);
--> statement-breakpoint
-- Is handed terms that are already cut and folded. Small pages and patient merging, so that no write takes long.
CREATE VIRTUAL TABLE `search_terms` USING fts5(
	terms, content='', contentless_delete=1, detail=none, prefix='1 2 3 4 5 6 7 8 9', tokenize='ascii'
);--> statement-breakpoint
INSERT INTO `search_terms` (`search_terms`, `rank`) VALUES ('pgsz', 1000), ('automerge', 8);--> statement-breakpoint
-- What active users hear now, and whether each wants that known: 'true', 'false' or null.
CREATE VIEW `current_listeners` AS
	SELECT l.podcast_id, s.value -> '$.public_subscription' AS choice
	  FROM listeners l
	  JOIN users u ON u.id = l.user_id AND u.state = 'active'
	  LEFT JOIN settings s ON s.user_id = l.user_id AND s.scope = 'podcast'
	       AND s.target = (SELECT p.url FROM podcasts p WHERE p.id = l.podcast_id)
	 WHERE l.devices > 0;--> statement-breakpoint
-- A secret or blocked podcast is private unless all who have it publish it; any other is public unless all who have it hide it, or,
-- when nobody has it any more, one of those who had it did.
CREATE VIEW `podcast_privacy` AS
	SELECT p.id AS podcast_id, CASE
	    WHEN p.is_secret IS NOT 0 OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = p.id AND d.is_blocked = 1)
	      THEN NOT EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id)
	        OR EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id AND c.choice IS NOT 'true')
	    WHEN EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id)
	      THEN NOT EXISTS (SELECT 1 FROM current_listeners c WHERE c.podcast_id = p.id AND c.choice IS NOT 'false')
	    ELSE EXISTS (SELECT 1 FROM listeners l JOIN settings s ON s.user_id = l.user_id AND s.scope = 'podcast' AND s.target = p.url
	                  WHERE l.podcast_id = p.id AND s.value -> '$.public_subscription' = 'false')
	  END AS is_private
	  FROM podcasts p;--> statement-breakpoint
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions WHEN NEW.subscribed = 1 BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + 1;
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices) SELECT d.user_id, NEW.podcast_id, 1 FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET devices = devices + NEW.subscribed - OLD.subscribed;
END;--> statement-breakpoint
CREATE TRIGGER `subscriptions_delete` AFTER DELETE ON subscriptions WHEN OLD.subscribed = 1 BEGIN
	UPDATE listeners SET devices = devices - 1
	 WHERE podcast_id = OLD.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = OLD.device_id);
END;--> statement-breakpoint
-- Before the rows that tell whose they are have gone.
CREATE TRIGGER `devices_delete` BEFORE DELETE ON devices BEGIN
	DELETE FROM subscriptions WHERE device_id = OLD.id;
	DELETE FROM settings WHERE user_id = OLD.user_id AND scope = 'device' AND target = OLD.uid;
END;--> statement-breakpoint
CREATE TRIGGER `users_delete` BEFORE DELETE ON users BEGIN
	DELETE FROM devices WHERE user_id = OLD.id;
END;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	UPDATE podcasts
	   SET is_local = 1, is_private = (SELECT is_private FROM podcast_privacy WHERE podcast_id = NEW.podcast_id),
	       subscribers = subscribers + (NEW.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active'))
	 WHERE id = NEW.podcast_id;
	INSERT INTO directory_queue (podcast_id) VALUES (NEW.podcast_id) ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `listeners_update` AFTER UPDATE OF devices ON listeners WHEN (NEW.devices > 0) <> (OLD.devices > 0) BEGIN
	UPDATE podcasts
	   SET is_private = (SELECT is_private FROM podcast_privacy WHERE podcast_id = NEW.podcast_id),
	       subscribers = subscribers + iif(NEW.devices > 0, 1, -1) * EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active')
	 WHERE id = NEW.podcast_id;
END;--> statement-breakpoint
CREATE TRIGGER `listeners_delete` AFTER DELETE ON listeners BEGIN
	UPDATE podcasts
	   SET is_local = EXISTS (SELECT 1 FROM listeners WHERE podcast_id = OLD.podcast_id),
	       is_private = (SELECT is_private FROM podcast_privacy WHERE podcast_id = OLD.podcast_id),
	       subscribers = subscribers - (OLD.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND state = 'active'))
	 WHERE id = OLD.podcast_id;
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = OLD.podcast_id ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `users_state` AFTER UPDATE OF state ON users WHEN (NEW.state = 'active') <> (OLD.state = 'active') BEGIN
	UPDATE podcasts
	   SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id),
	       subscribers = subscribers + iif(NEW.state = 'active', 1, -1)
	 WHERE id IN (SELECT podcast_id FROM listeners WHERE user_id = NEW.id AND devices > 0);
END;--> statement-breakpoint
CREATE TRIGGER `settings_insert` AFTER INSERT ON settings WHEN NEW.scope = 'podcast' BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id) WHERE url = NEW.target;
END;--> statement-breakpoint
CREATE TRIGGER `settings_update` AFTER UPDATE ON settings WHEN NEW.scope = 'podcast' BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id) WHERE url = NEW.target;
END;--> statement-breakpoint
CREATE TRIGGER `settings_delete` AFTER DELETE ON settings WHEN OLD.scope = 'podcast' BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id) WHERE url = OLD.target;
END;--> statement-breakpoint
CREATE TRIGGER `podcasts_secret` AFTER UPDATE OF is_secret ON podcasts WHEN NEW.is_secret IS NOT OLD.is_secret BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = NEW.id) WHERE id = NEW.id;
END;--> statement-breakpoint
CREATE TRIGGER `podcasts_listing` AFTER UPDATE OF subscribers, is_local, is_private ON podcasts
WHEN (NEW.subscribers, NEW.is_local, NEW.is_private) IS NOT (OLD.subscribers, OLD.is_local, OLD.is_private) BEGIN
	UPDATE podcast_tags SET subscribers = NEW.subscribers, is_listed = (NEW.is_local AND NOT NEW.is_private) WHERE podcast_id = NEW.id;
END;--> statement-breakpoint
-- The search goes through podcasts by the power of two that their subscribers have reached.
CREATE TRIGGER `podcasts_magnitude` AFTER UPDATE OF subscribers ON podcasts
WHEN NEW.subscribers <> OLD.subscribers AND (max(NEW.subscribers, OLD.subscribers) & (max(NEW.subscribers, OLD.subscribers) - 1)) = 0 BEGIN
	INSERT INTO directory_queue (podcast_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `podcast_details_insert` AFTER INSERT ON podcast_details BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id) WHERE id = NEW.podcast_id;
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = NEW.podcast_id AND is_local = 1 ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `podcast_details_update` AFTER UPDATE ON podcast_details BEGIN
	UPDATE podcasts SET is_private = (SELECT v.is_private FROM podcast_privacy v WHERE v.podcast_id = podcasts.id)
	 WHERE id = NEW.podcast_id AND NEW.is_blocked <> OLD.is_blocked;
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = NEW.podcast_id AND is_local = 1 ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `podcast_tags_insert` AFTER INSERT ON podcast_tags WHEN NEW.is_listed = 1 BEGIN
	UPDATE tags SET usage = usage + 1 WHERE id = NEW.tag_id;
END;--> statement-breakpoint
CREATE TRIGGER `podcast_tags_update` AFTER UPDATE OF is_listed ON podcast_tags WHEN NEW.is_listed <> OLD.is_listed BEGIN
	UPDATE tags SET usage = usage + NEW.is_listed - OLD.is_listed WHERE id = NEW.tag_id;
END;--> statement-breakpoint
CREATE TRIGGER `podcast_tags_delete` AFTER DELETE ON podcast_tags WHEN OLD.is_listed = 1 BEGIN
	UPDATE tags SET usage = usage - 1 WHERE id = OLD.tag_id;
END;--> statement-breakpoint
-- What is there already goes through the triggers.
INSERT INTO listeners (user_id, podcast_id, devices)
	SELECT d.user_id, s.podcast_id, SUM(s.subscribed) FROM subscriptions s JOIN devices d ON d.id = s.device_id GROUP BY d.user_id, s.podcast_id;--> statement-breakpoint
INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE is_local = 0;

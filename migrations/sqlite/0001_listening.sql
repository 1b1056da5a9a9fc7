CREATE TABLE `folder_podcasts` (
	`folder_id` integer NOT NULL,
	`podcast_id` integer NOT NULL,
	PRIMARY KEY(`folder_id`, `podcast_id`),
	FOREIGN KEY (`folder_id`) REFERENCES `folders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`podcast_id`) REFERENCES `podcasts`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `folder_podcasts_podcast` ON `folder_podcasts` (`podcast_id`);--> statement-breakpoint
CREATE TABLE `folders` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`key` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `folders_user_key` ON `folders` (`user_id`,`key`);--> statement-breakpoint
CREATE TABLE `queue_items` (
	`user_id` integer NOT NULL,
	`position` integer NOT NULL,
	`episode_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `position`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`episode_id`) REFERENCES `episodes`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `queue_items_episode` ON `queue_items` (`episode_id`);--> statement-breakpoint
CREATE TABLE `episode_changes` (
	`episode_id` integer PRIMARY KEY NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `episode_documents` (
	`document_id` integer PRIMARY KEY NOT NULL,
	`episode_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `episode_documents_episode_id_unique` ON `episode_documents` (`episode_id`);--> statement-breakpoint
CREATE TABLE `episode_words` (
	`word` text PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `listeners` ADD `since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `episode_details` ADD `transcript_type` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `episode_details` ADD `number` integer;--> statement-breakpoint
UPDATE listeners SET since = IFNULL((SELECT MIN(s.seq) FROM devices d JOIN subscriptions s ON s.device_id = d.id
  WHERE d.user_id = listeners.user_id AND s.podcast_id = listeners.podcast_id AND s.subscribed = 1), 0);--> statement-breakpoint
DROP TRIGGER `subscriptions_insert`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_insert` AFTER INSERT ON subscriptions BEGIN
	INSERT INTO listeners (user_id, podcast_id, devices, since)
	  SELECT d.user_id, NEW.podcast_id, NEW.subscribed, NEW.seq FROM devices d WHERE d.id = NEW.device_id
	  ON CONFLICT (user_id, podcast_id) DO UPDATE SET
	    since = CASE WHEN listeners.devices = 0 THEN excluded.since ELSE listeners.since END,
	    devices = listeners.devices + excluded.devices;
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
DROP TRIGGER `subscriptions_update`;--> statement-breakpoint
CREATE TRIGGER `subscriptions_update` AFTER UPDATE OF subscribed ON subscriptions WHEN NEW.subscribed <> OLD.subscribed BEGIN
	UPDATE listeners SET devices = devices + NEW.subscribed - OLD.subscribed,
	       since = CASE WHEN devices = 0 THEN NEW.seq ELSE since END
	 WHERE podcast_id = NEW.podcast_id AND user_id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
	UPDATE users SET subscription_count = subscription_count + NEW.subscribed - OLD.subscribed
	 WHERE id = (SELECT d.user_id FROM devices d WHERE d.id = NEW.device_id);
END;--> statement-breakpoint
CREATE VIRTUAL TABLE `episode_titles` USING fts5(
	terms, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii'
);--> statement-breakpoint
INSERT INTO `episode_titles` (`episode_titles`, `rank`) VALUES ('pgsz', 4000), ('automerge', 8);--> statement-breakpoint
CREATE VIRTUAL TABLE `episode_notes` USING fts5(
	terms, content='', contentless_delete=1, detail=none, prefix='3', tokenize='ascii'
);--> statement-breakpoint
INSERT INTO `episode_notes` (`episode_notes`, `rank`) VALUES ('pgsz', 4000), ('automerge', 8);--> statement-breakpoint
-- What is there already is indexed in the background.
INSERT INTO episode_changes (episode_id) SELECT episode_id FROM episode_details WHERE is_listed = 1;--> statement-breakpoint
CREATE TRIGGER `episode_details_delete` AFTER DELETE ON episode_details BEGIN
	INSERT INTO episode_changes (episode_id) VALUES (OLD.episode_id) ON CONFLICT (episode_id) DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `episode_details_insert` AFTER INSERT ON episode_details BEGIN
	INSERT INTO episode_changes (episode_id) VALUES (NEW.episode_id) ON CONFLICT (episode_id) DO NOTHING;
END;--> statement-breakpoint
CREATE TRIGGER `episode_details_update` AFTER UPDATE OF podcast_id, title, description, released, is_listed ON episode_details
	WHEN (NEW.podcast_id, NEW.title, NEW.released, NEW.is_listed, NEW.description)
	  IS NOT (OLD.podcast_id, OLD.title, OLD.released, OLD.is_listed, OLD.description) BEGIN
	INSERT INTO episode_changes (episode_id) VALUES (NEW.episode_id) ON CONFLICT (episode_id) DO NOTHING;
END;

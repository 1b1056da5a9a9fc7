-- What changes in a directory that all share goes through an append-only outbox, which the indexer sums up (docs/decisions.md).
DROP TRIGGER `listeners_insert`;--> statement-breakpoint
DROP TRIGGER `listeners_update`;--> statement-breakpoint
DROP TRIGGER `listeners_delete`;--> statement-breakpoint
DROP TRIGGER `podcasts_listing`;--> statement-breakpoint
DROP TRIGGER `podcasts_magnitude`;--> statement-breakpoint
DROP TRIGGER `podcasts_undecided`;--> statement-breakpoint
DROP TRIGGER `podcast_tags_insert`;--> statement-breakpoint
DROP TRIGGER `podcast_tags_update`;--> statement-breakpoint
DROP TRIGGER `podcast_tags_delete`;--> statement-breakpoint
DROP TRIGGER `podcast_details_insert`;--> statement-breakpoint
DROP TRIGGER `podcast_details_update`;--> statement-breakpoint
DROP TRIGGER `settings_insert`;--> statement-breakpoint
DROP TRIGGER `settings_update`;--> statement-breakpoint
DROP TRIGGER `settings_delete`;--> statement-breakpoint
DROP TRIGGER `users_state`;--> statement-breakpoint
DROP TRIGGER `users_delete`;--> statement-breakpoint
DROP INDEX `listeners_podcast`;--> statement-breakpoint
CREATE INDEX `listeners_podcast` ON `listeners` (`podcast_id`);--> statement-breakpoint
CREATE TABLE `directory_changes` (
	`id` integer PRIMARY KEY NOT NULL,
	`podcast_id` integer NOT NULL,
	`subscribers` integer NOT NULL
) STRICT;--> statement-breakpoint
CREATE INDEX `directory_changes_podcast` ON `directory_changes` (`podcast_id`,`subscribers`);--> statement-breakpoint
INSERT INTO directory_changes (podcast_id, subscribers) SELECT podcast_id, 0 FROM directory_queue;--> statement-breakpoint
DROP TABLE `directory_queue`;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	INSERT INTO directory_changes (podcast_id, subscribers)
	  VALUES (NEW.podcast_id, NEW.devices > 0 AND EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.state = 'active'));
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `listeners_update` AFTER UPDATE OF devices ON listeners WHEN (NEW.devices > 0) <> (OLD.devices > 0) BEGIN
	INSERT INTO directory_changes (podcast_id, subscribers)
	  VALUES (NEW.podcast_id, iif(NEW.devices > 0, 1, -1) * EXISTS (SELECT 1 FROM users u WHERE u.id = NEW.user_id AND u.state = 'active'));
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `listeners_delete` AFTER DELETE ON listeners BEGIN
	INSERT INTO directory_changes (podcast_id, subscribers)
	  VALUES (OLD.podcast_id, -(OLD.devices > 0 AND EXISTS (SELECT 1 FROM users u WHERE u.id = OLD.user_id AND u.state = 'active')));
	UPDATE podcasts SET is_private = 1 WHERE id = OLD.podcast_id AND is_private = 0
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `podcasts_hidden` AFTER UPDATE OF is_private ON podcasts WHEN NEW.is_private = 1 AND OLD.is_private = 0 BEGIN
	UPDATE tags SET usage = usage - 1
	 WHERE id IN (SELECT t.tag_id FROM podcast_tags t WHERE t.podcast_id = NEW.id AND t.is_listed = 1);
	UPDATE podcast_tags SET is_listed = 0 WHERE podcast_id = NEW.id AND is_listed = 1;
END;--> statement-breakpoint
CREATE TRIGGER `settings_insert` AFTER INSERT ON settings
WHEN NEW.scope = 'podcast' AND NEW.value -> '$.public_subscription' IS NOT NULL BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = NEW.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = NEW.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_changes (podcast_id, subscribers)
	  SELECT p.id, 0 FROM podcasts p JOIN listeners l ON l.user_id = NEW.user_id AND l.podcast_id = p.id WHERE p.url = NEW.target;
END;--> statement-breakpoint
CREATE TRIGGER `settings_update` AFTER UPDATE ON settings
WHEN NEW.scope = 'podcast' AND NEW.value -> '$.public_subscription' IS NOT OLD.value -> '$.public_subscription' BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = NEW.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = NEW.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_changes (podcast_id, subscribers)
	  SELECT p.id, 0 FROM podcasts p JOIN listeners l ON l.user_id = NEW.user_id AND l.podcast_id = p.id WHERE p.url = NEW.target;
END;--> statement-breakpoint
CREATE TRIGGER `settings_delete` AFTER DELETE ON settings
WHEN OLD.scope = 'podcast' AND OLD.value -> '$.public_subscription' IS NOT NULL BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = OLD.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = OLD.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_changes (podcast_id, subscribers)
	  SELECT p.id, 0 FROM podcasts p JOIN listeners l ON l.user_id = OLD.user_id AND l.podcast_id = p.id WHERE p.url = OLD.target;
END;--> statement-breakpoint
CREATE TRIGGER `users_state` AFTER UPDATE OF state ON users WHEN (NEW.state = 'active') <> (OLD.state = 'active') BEGIN
	INSERT INTO directory_changes (podcast_id, subscribers)
	  SELECT l.podcast_id, iif(NEW.state = 'active', 1, -1) * (l.devices > 0) FROM listeners l WHERE l.user_id = NEW.id;
	UPDATE podcasts SET is_private = 1
	 WHERE is_private = 0 AND id IN (SELECT l.podcast_id FROM listeners l WHERE l.user_id = NEW.id)
	   AND (is_secret IS NOT 0 OR was_hidden = 1
	        OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
	        OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL));
END;--> statement-breakpoint
CREATE TRIGGER `users_delete` BEFORE DELETE ON users BEGIN
	UPDATE podcasts SET was_hidden = 1, is_private = 1
	 WHERE url IN (SELECT s.target FROM settings s WHERE s.user_id = OLD.id AND s.scope = 'podcast' AND s.value -> '$.public_subscription' = 'false')
	   AND id IN (SELECT l.podcast_id FROM listeners l WHERE l.user_id = OLD.id);
	DELETE FROM devices WHERE user_id = OLD.id;
END;

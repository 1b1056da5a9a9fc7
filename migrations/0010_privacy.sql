CREATE INDEX `settings_choice` ON `settings` (`target`) WHERE scope = 'podcast' AND value -> '$.public_subscription' IS NOT NULL;--> statement-breakpoint
-- Who may see a podcast is decided by isPrivatePodcast (src/domain/directory/privacy.ts), which the indexer calls for what is in
-- directory_queue. Triggers keep counters. Whenever a fact changes that the decision may depend on, they make the podcast private and put it
-- into the queue: it stays private until it is decided.
DROP TRIGGER `listeners_insert`;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = NEW.podcast_id AND is_local = 0 ON CONFLICT DO NOTHING;
	UPDATE podcasts
	   SET is_local = 1,
	       subscribers = subscribers + (NEW.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active'))
	 WHERE id = NEW.podcast_id;
END;--> statement-breakpoint
DROP TRIGGER `listeners_update`;--> statement-breakpoint
CREATE TRIGGER `listeners_update` AFTER UPDATE OF devices ON listeners WHEN (NEW.devices > 0) <> (OLD.devices > 0) BEGIN
	UPDATE podcasts
	   SET subscribers = subscribers + iif(NEW.devices > 0, 1, -1) * EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active')
	 WHERE id = NEW.podcast_id;
END;--> statement-breakpoint
DROP TRIGGER `listeners_delete`;--> statement-breakpoint
CREATE TRIGGER `listeners_delete` AFTER DELETE ON listeners BEGIN
	UPDATE podcasts
	   SET is_local = EXISTS (SELECT 1 FROM listeners WHERE podcast_id = OLD.podcast_id),
	       subscribers = subscribers - (OLD.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND state = 'active'))
	 WHERE id = OLD.podcast_id;
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = OLD.podcast_id AND is_local = 0 ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP TRIGGER `users_state`;--> statement-breakpoint
CREATE TRIGGER `users_state` AFTER UPDATE OF state ON users WHEN (NEW.state = 'active') <> (OLD.state = 'active') BEGIN
	UPDATE podcasts SET subscribers = subscribers + iif(NEW.state = 'active', 1, -1)
	 WHERE id IN (SELECT podcast_id FROM listeners WHERE user_id = NEW.id AND devices > 0);
END;--> statement-breakpoint
-- Who has a podcast matters only where its address, its feed or somebody's choice gives it a reason to be private.
DROP TRIGGER `podcasts_secret`;--> statement-breakpoint
CREATE TRIGGER `podcasts_undecided` AFTER UPDATE OF subscribers, is_secret, was_hidden ON podcasts
WHEN NEW.is_secret IS NOT OLD.is_secret OR NEW.was_hidden <> OLD.was_hidden
  OR NEW.subscribers <> OLD.subscribers
     AND (NEW.is_secret IS NOT 0 OR NEW.was_hidden = 1
          OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = NEW.id AND d.is_blocked = 1)
          OR EXISTS (SELECT 1 FROM settings s
                      WHERE s.target = NEW.url AND s.scope = 'podcast' AND s.value -> '$.public_subscription' IS NOT NULL)) BEGIN
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.id AND is_private = 0;
	INSERT INTO directory_queue (podcast_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
-- By the row as it is, which podcasts_undecided may have changed meanwhile: the order of triggers is not defined.
DROP TRIGGER `podcasts_listing`;--> statement-breakpoint
CREATE TRIGGER `podcasts_listing` AFTER UPDATE OF subscribers, is_local, is_private ON podcasts
WHEN (NEW.subscribers, NEW.is_local, NEW.is_private) IS NOT (OLD.subscribers, OLD.is_local, OLD.is_private) BEGIN
	UPDATE podcast_tags
	   SET (subscribers, is_listed) = (SELECT p.subscribers, p.is_local AND NOT p.is_private FROM podcasts p WHERE p.id = NEW.id)
	 WHERE podcast_id = NEW.id;
END;--> statement-breakpoint
-- A choice counts only if it is of somebody who has the podcast or had it.
DROP TRIGGER `settings_insert`;--> statement-breakpoint
CREATE TRIGGER `settings_insert` AFTER INSERT ON settings
WHEN NEW.scope = 'podcast' AND NEW.value -> '$.public_subscription' IS NOT NULL BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = NEW.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = NEW.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_queue (podcast_id)
	  SELECT p.id FROM podcasts p JOIN listeners l ON l.user_id = NEW.user_id AND l.podcast_id = p.id WHERE p.url = NEW.target
	  ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP TRIGGER `settings_update`;--> statement-breakpoint
CREATE TRIGGER `settings_update` AFTER UPDATE ON settings
WHEN NEW.scope = 'podcast' AND NEW.value -> '$.public_subscription' IS NOT OLD.value -> '$.public_subscription' BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = NEW.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = NEW.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_queue (podcast_id)
	  SELECT p.id FROM podcasts p JOIN listeners l ON l.user_id = NEW.user_id AND l.podcast_id = p.id WHERE p.url = NEW.target
	  ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP TRIGGER `settings_delete`;--> statement-breakpoint
CREATE TRIGGER `settings_delete` AFTER DELETE ON settings
WHEN OLD.scope = 'podcast' AND OLD.value -> '$.public_subscription' IS NOT NULL BEGIN
	UPDATE podcasts SET is_private = 1 WHERE url = OLD.target AND is_private = 0
	   AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = OLD.user_id AND l.podcast_id = podcasts.id);
	INSERT INTO directory_queue (podcast_id)
	  SELECT p.id FROM podcasts p JOIN listeners l ON l.user_id = OLD.user_id AND l.podcast_id = p.id WHERE p.url = OLD.target
	  ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP TRIGGER `podcast_details_insert`;--> statement-breakpoint
CREATE TRIGGER `podcast_details_insert` AFTER INSERT ON podcast_details BEGIN
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0 AND NEW.is_blocked = 1;
	INSERT INTO directory_queue (podcast_id)
	  SELECT id FROM podcasts WHERE id = NEW.podcast_id AND (is_local = 1 OR is_private = 1) ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP TRIGGER `podcast_details_update`;--> statement-breakpoint
CREATE TRIGGER `podcast_details_update` AFTER UPDATE ON podcast_details BEGIN
	UPDATE podcasts SET is_private = 1 WHERE id = NEW.podcast_id AND is_private = 0 AND NEW.is_blocked <> OLD.is_blocked;
	INSERT INTO directory_queue (podcast_id)
	  SELECT id FROM podcasts WHERE id = NEW.podcast_id AND (is_local = 1 OR NEW.is_blocked <> OLD.is_blocked) ON CONFLICT DO NOTHING;
END;--> statement-breakpoint
DROP VIEW `podcast_privacy`;--> statement-breakpoint
DROP VIEW `current_listeners`;

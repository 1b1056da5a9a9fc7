CREATE TABLE `upkeep` (
	`task` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
-- The directory learns that somebody has a podcast, which before nobody had or has any more. How many there are, and whether it is
-- private, is in rows that the triggers keep themselves, and podcasts_magnitude tells the search.
DROP TRIGGER `listeners_insert`;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = NEW.podcast_id AND is_local = 0 ON CONFLICT DO NOTHING;
	UPDATE podcasts
	   SET is_local = 1, is_private = (SELECT is_private FROM podcast_privacy WHERE podcast_id = NEW.podcast_id),
	       subscribers = subscribers + (NEW.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active'))
	 WHERE id = NEW.podcast_id;
END;--> statement-breakpoint
DROP TRIGGER `listeners_delete`;--> statement-breakpoint
CREATE TRIGGER `listeners_delete` AFTER DELETE ON listeners BEGIN
	UPDATE podcasts
	   SET is_local = EXISTS (SELECT 1 FROM listeners WHERE podcast_id = OLD.podcast_id),
	       is_private = (SELECT is_private FROM podcast_privacy WHERE podcast_id = OLD.podcast_id),
	       subscribers = subscribers - (OLD.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND state = 'active'))
	 WHERE id = OLD.podcast_id;
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = OLD.podcast_id AND is_local = 0 ON CONFLICT DO NOTHING;
END;

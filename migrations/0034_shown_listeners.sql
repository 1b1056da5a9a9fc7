-- Fewer than three listeners of a podcast are shown as none (docs/protocol.md#D113), and no order may tell more.
DROP TRIGGER `podcasts_listing`;--> statement-breakpoint
CREATE TRIGGER `podcasts_listing` AFTER UPDATE OF subscribers, is_local, is_private ON podcasts
WHEN (NEW.subscribers, NEW.is_local, NEW.is_private) IS NOT (OLD.subscribers, OLD.is_local, OLD.is_private) BEGIN
	UPDATE podcast_tags
	   SET (subscribers, is_listed) = (
	     SELECT iif(p.subscribers < 3, 0, p.subscribers), p.is_local AND NOT p.is_private FROM podcasts p WHERE p.id = NEW.id)
	 WHERE podcast_id = NEW.id;
END;--> statement-breakpoint
UPDATE podcast_tags SET subscribers = 0 WHERE subscribers BETWEEN 1 AND 2;--> statement-breakpoint
UPDATE podcasts SET position_last_week = 0 WHERE position_last_week > 0 AND subscribers_last_week < 3;--> statement-breakpoint
-- The search numbers these anew.
INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE subscribers BETWEEN 1 AND 3 ON CONFLICT DO NOTHING;

-- A choice counts from the moment on at which its user has the podcast, also if that changes no counter: an account that is not active
-- may get one by an upload that was under way.
DROP TRIGGER `listeners_insert`;--> statement-breakpoint
CREATE TRIGGER `listeners_insert` AFTER INSERT ON listeners BEGIN
	INSERT INTO directory_queue (podcast_id) SELECT id FROM podcasts WHERE id = NEW.podcast_id AND is_local = 0 ON CONFLICT DO NOTHING;
	UPDATE podcasts
	   SET is_local = 1,
	       subscribers = subscribers + (NEW.devices > 0 AND EXISTS (SELECT 1 FROM users WHERE id = NEW.user_id AND state = 'active'))
	 WHERE id = NEW.podcast_id;
	UPDATE podcasts SET is_private = 1
	 WHERE id = NEW.podcast_id AND is_private = 0
	   AND EXISTS (SELECT 1 FROM settings s WHERE s.user_id = NEW.user_id AND s.scope = 'podcast' AND s.target = podcasts.url
	                AND s.value -> '$.public_subscription' IS NOT NULL);
	INSERT INTO directory_queue (podcast_id)
	  SELECT p.id FROM podcasts p JOIN settings s ON s.user_id = NEW.user_id AND s.scope = 'podcast' AND s.target = p.url
	   WHERE p.id = NEW.podcast_id AND s.value -> '$.public_subscription' IS NOT NULL ON CONFLICT DO NOTHING;
END;
